# The service. Build: docker build -t nobubble .   Run: see docs/service.md
FROM python:3.12-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/nobubble
ENV PATH=/opt/nobubble/bin:$PATH
COPY requirements-service.lock /opt/nobubble/
RUN python -m pip install --require-hashes --requirement /opt/nobubble/requirements-service.lock
COPY optimizer /opt/nobubble/src/optimizer
COPY api /opt/nobubble/src/api
COPY cli /opt/nobubble/src/cli
COPY profiles /opt/nobubble/src/profiles
# The same kernels on every machine that the image runs on, compiled once: here.
ENV PYTHONPATH=/opt/nobubble/src/optimizer:/opt/nobubble/src/api:/opt/nobubble/src/cli \
    NUMBA_CPU_NAME=generic NUMBA_CPU_FEATURES=""
RUN python -m compileall -q /opt/nobubble/src \
    && python -m nobubble_cli solve /opt/nobubble/src/profiles/minimal.json --output /dev/null

FROM python:3.12-slim
COPY --from=build /opt/nobubble /opt/nobubble
RUN mkdir /data && chown 10001:10001 /data
ENV PATH=/opt/nobubble/bin:$PATH \
    PYTHONPATH=/opt/nobubble/src/optimizer:/opt/nobubble/src/api:/opt/nobubble/src/cli \
    PYTHONUNBUFFERED=1 \
    NUMBA_CPU_NAME=generic \
    NUMBA_CPU_FEATURES="" \
    NOBUBBLE_HOST=0.0.0.0 \
    NOBUBBLE_PORT=8000 \
    NOBUBBLE_DATA_DIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
ENTRYPOINT ["python", "-m", "nobubble_cli"]
CMD ["serve"]
