// Python and massprops in a worker: each table is one run of `massprops rollup` in files of the memory.
import { Directory, File, OpenFile, PreopenDirectory, WASI, WASIProcExit } from "./shim/index.js";

const tell = (state) => postMessage({ state });
let program;

async function unpacked(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  // a server that unpacks .gz files itself sends them so that fetch has unpacked them
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function folderOf(tar) {
  const root = new Map();
  const text = (start, length) => new TextDecoder().decode(tar.subarray(start, start + length)).replace(/\0.*$/s, "");
  for (let at = 0; at + 512 <= tar.length && tar[at]; ) {
    const size = parseInt(text(at + 124, 12), 8);
    const parts = [text(at + 345, 155), text(at, 100)].filter(Boolean).join("/").split("/");
    let folder = root;
    for (const part of parts.slice(0, -1)) {
      if (!folder.has(part)) folder.set(part, new Directory(new Map()));
      folder = folder.get(part).contents;
    }
    folder.set(parts.at(-1), new File(tar.slice(at + 512, at + 512 + size), { readonly: true }));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return root;
}

async function load() {
  tell("loading Python and massprops");
  const [code, library, packages, run] = await Promise.all(
    ["python.wasm.gz", "library.zip", "packages.tar.gz", "run.py"].map(unpacked),
  );
  tell("compiling");
  return { module: await WebAssembly.compile(code), library, packages: folderOf(packages), run };
}

function rollUp({ module, library, packages, run }, name, bytes) {
  const screen = new OpenFile(new File([])); // a file: a console would be a terminal, with colours and progress
  const work = new PreopenDirectory("/work", new Map([[name, new File(bytes)]]));
  const descriptors = [
    new OpenFile(new File([])), screen, screen, work,
    new PreopenDirectory("/usr/local/lib", new Map([["python315.zip", new File(library, { readonly: true })]])),
    new PreopenDirectory("/packages", packages),
    new PreopenDirectory("/code", new Map([["run.py", new File(run, { readonly: true })]])),
    new PreopenDirectory("/tmp", new Map()),
  ];
  const words = ["python", "/code/run.py", "rollup", `./${name}`];
  const variables = ["HOME=/work", "TMPDIR=/tmp", "COLUMNS=96", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1"];
  const wasi = new WASI(words, variables, descriptors);
  const instance = new WebAssembly.Instance(module, {
    wasi_snapshot_preview1: wasi.wasiImport,
    host: { call: () => -1 },
  });
  let code;
  try {
    wasi.initialize(instance);
    code = instance.exports.run();
  } catch (error) {
    if (!(error instanceof WASIProcExit)) throw error;
    code = error.code;
  }
  const files = [...work.dir.contents]
    .filter(([key, file]) => key !== name && file instanceof File)
    .map(([key, file]) => ({ name: key, bytes: file.data }));
  return { code, screen: new TextDecoder().decode(screen.file.data), files };
}

onmessage = async ({ data: { name, bytes } }) => {
  try {
    program ??= load();
    const loaded = await program;
    tell(`rolling up ${name}`);
    const begun = performance.now();
    const { code, screen, files } = rollUp(loaded, name, bytes);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const state = files.length ? `${name}: done in ${seconds} s` : `${name}: not written, exit code ${code}`;
    postMessage({ state, screen, files });
  } catch (error) {
    program = undefined;
    tell(`the program stopped: ${error.message}`);
  }
};
