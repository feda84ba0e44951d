# massprops in a container: no root, no network at run time.
#   docker build -t massprops .
#   docker run --rm --network none --read-only --tmpfs /tmp -v "$PWD:/data" -u "$(id -u):$(id -g)" massprops rollup bom.csv
ARG PYTHON=3.12
FROM python:${PYTHON}-slim AS build
WORKDIR /source
COPY . .
# without pip and compiled modules; of the dependencies without tests, headers, sources, and of PyArrow without what talks
# to servers and two of three copies of a library
RUN python -m venv --without-pip /opt/massprops \
    && python -m pip --python /opt/massprops/bin/python install --no-cache-dir --no-compile . \
    && find /opt/massprops/lib -type d \( -name tests -o -name include -o -name includes \) -prune -exec rm -rf {} + \
    && find /opt/massprops/lib \( -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi' -o -name '*.h' -o -name '*.a' \
        -o -path '*/pyarrow/*flight*' -o -path '*/pyarrow/*s3*' -o -path '*/pyarrow/src/*' \
        -o -name libarrow_python.so -o -name 'libarrow_python.so.*.*' \) -delete

FROM python:${PYTHON}-slim
COPY --from=build /opt/massprops /opt/massprops
ENV PATH=/opt/massprops/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1
RUN useradd --create-home --uid 10001 massprops
USER 10001
WORKDIR /data
ENTRYPOINT ["massprops"]
CMD ["--help"]
