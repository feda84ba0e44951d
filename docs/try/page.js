// The page: hands one table to the worker, and shows the screen and the written tables.
const element = (name) => document.getElementById(name);
// a worker from a blob has the security policy of this page: it may load from this address only
const code = `import ${JSON.stringify(new URL("worker.js", location.href).href)};`;
const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
const READ = /\.(csv|tsv|txt|xlsx|xlsm)$/i;

function start(name, bytes) {
  element("results").replaceChildren();
  element("screen").hidden = true;
  if (!READ.test(name)) {
    element("state").textContent = `${name} cannot be read in the browser (expected csv, tsv, xlsx or xlsm)`;
    return;
  }
  worker.postMessage({ name, bytes });
}

worker.onmessage = ({ data }) => {
  element("state").textContent = data.state;
  if (data.screen === undefined) return;
  element("screen").textContent = data.screen;
  element("screen").hidden = false;
  for (const { name, bytes } of data.files) {
    const link = document.createElement("a");
    link.className = "result";
    link.href = URL.createObjectURL(new Blob([bytes]));
    link.download = link.textContent = name;
    element("results").append(link);
  }
};
worker.onerror = (event) => (element("state").textContent = `the program could not be loaded: ${event.message}`);

const read = async (file) => file && start(file.name, new Uint8Array(await file.arrayBuffer()));
const drop = element("drop");
drop.addEventListener("dragover", (event) => (event.preventDefault(), drop.classList.add("over")));
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  read(event.dataTransfer.files[0]);
});
element("file").addEventListener("change", (event) => read(event.target.files[0]));
element("sample").addEventListener("click", async () => {
  start("spacecraft.xlsx", new Uint8Array(await (await fetch("spacecraft.xlsx")).arrayBuffer()));
});
