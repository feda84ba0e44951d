# massprops in a container: no root, no network at run time.
#   docker build -t massprops .
#   docker run --rm --network none --read-only --tmpfs /tmp -v "$PWD:/data" -u "$(id -u):$(id -g)" massprops rollup bom.csv
ARG PYTHON=3.12
FROM python:${PYTHON}-slim AS build
WORKDIR /source
COPY . .
# without pip, compiled modules and the tests of the dependencies
RUN python -m venv --without-pip /opt/massprops \
    && python -m pip --python /opt/massprops/bin/python install --no-cache-dir --no-compile . \
    && find /opt/massprops -type d -name tests -path '*/site-packages/*' -prune -exec rm -rf {} +

FROM python:${PYTHON}-slim
COPY --from=build /opt/massprops /opt/massprops
ENV PATH=/opt/massprops/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1
RUN useradd --create-home --uid 10001 massprops
USER 10001
WORKDIR /data
ENTRYPOINT ["massprops"]
CMD ["--help"]
