package lint_test

import "testing"

func TestCleartext(t *testing.T) { runTable(t, cleartextCases) }

const cleartextCases = `
URL http://a.tld/mcp => MCP007:error
URL HTTP://A.TLD/mcp => MCP007:error
URL ws://a.tld/mcp => MCP007:error
URL http://192.168.1.10:8080/mcp => MCP007:error
URL http://bookapi:8080/mcp => MCP007:error
URL http:/a.tld/mcp => MCP007:error
URL http:\\a.tld\mcp => MCP007:error
URL http://2130706433/mcp => MCP007:error
URL http://0177.0.0.1/mcp => MCP007:error
URL http://127.0.0.1.nip.io/mcp => MCP007:error MCP008:warn
URL http://localhost.a.tld/mcp => MCP007:error
URL http://localhost@a.tld/mcp => MCP002:error MCP007:error
URL http://127.0.0.1:80@a.tld/mcp => MCP002:error MCP007:error
URL http://[2001:db8::1]/mcp => MCP007:error
URL https://a.tld/mcp =>
URL wss://a.tld/mcp =>
URL http://localhost:3000/mcp =>
URL http://LOCALHOST:3000/mcp =>
URL http://localhost./mcp =>
URL http://app.localhost:3000/mcp =>
URL http://127.0.0.1:3000/mcp =>
URL http://127.0.0.2/mcp =>
URL http://[::1]:8080/mcp =>
URL http://[::ffff:127.0.0.1]/mcp =>
URL http://host.docker.internal:8080/mcp =>
URL http://0.0.0.0:8080/mcp =>
URL http://${HOST}:8080/mcp =>
URL http://<your-host>:8080/mcp =>
URL http://your-server.tld/mcp =>
URL http://YOUR_HOST/mcp =>
URL http://{host}/mcp =>
URL http://localhost:${PORT}/mcp =>
URL ${MCP_URL} =>
{"serverUrl":"http://a.tld/mcp"} => MCP007:error
{"httpUrl":"http://a.tld/mcp"} => MCP007:error
{"transport":{"type":"http","url":"http://a.tld/mcp"},"command":null,"url":"https://b.tld"} => MCP007:error
npx -y mcp-remote@0.15.1 http://a.tld/mcp => MCP007:error
npx -y mcp-remote@0.15.1 http://localhost:3000/mcp =>
npx -y mcp-remote@0.15.1 http://a.tld/mcp --allow-http => MCP007:error
npx -y mcp-remote@0.15.1 http://localhost:3000/mcp --allow-http => MCP007:warn
npx -y supergateway@3.4.0 --streamableHttp http://a.tld/mcp => MCP007:error
npx -y any-name@1.0.0 http://a.tld/mcp => MCP007:error
uvx mcp-proxy==0.9.0 http://a.tld/x => MCP007:error
uvx mcp-proxy-for-aws==1.0.0 https://a.tld/mcp =>
python -m mcp_proxy http://a.tld/x => MCP007:error
node s.js --api http://a.tld/x =>
ENV API_URL=http://api.vendor.tld/v1 => MCP007:warn
ENV API_URL=http://192.168.1.10:9200 => MCP007:warn
ENV API_URL=http://bookapi:8080 =>
ENV API_URL=http://localhost:9200 =>
ENV API_URL=http://host.docker.internal:9200 =>
ENV API_URL=https://api.vendor.tld =>
ENV HTTP_PROXY=http://proxy.corp.tld:3128 =>
ENV HTTPS_PROXY=http://proxy.corp.tld:3128 =>
ENV HTTP_REFERER=http://my.site.tld =>
ENV CORS_ORIGIN=http://my.site.tld =>
ENV API_URL=http://your-host.tld =>
ENV NS=http://www.w3.org/1999/xhtml =>
docker run -e API=http://api.vendor.tld img@sha256:@HEX64@ => MCP007:warn
docker run -e API=http://bookapi:8080 img@sha256:@HEX64@ =>
ENV NODE_TLS_REJECT_UNAUTHORIZED=0 => MCP007:error
ENV NODE_TLS_REJECT_UNAUTHORIZED=1 =>
ENV NODE_TLS_REJECT_UNAUTHORIZED=${X} =>
ENV PYTHONHTTPSVERIFY=0 => MCP007:error
ENV GIT_SSL_NO_VERIFY=true => MCP007:error
ENV GIT_SSL_NO_VERIFY=1 => MCP007:error
ENV GIT_SSL_NO_VERIFY=false =>
ENV JIRA_SSL_VERIFY=false => MCP007:error
ENV CONFLUENCE_VERIFY_SSL=False => MCP007:error
ENV ELASTIC_VERIFY_SSL=true =>
ENV GRAFANA_TLS_SKIP_VERIFY=true => MCP007:error
ENV X_INSECURE_SKIP_VERIFY=0 =>
ENV npm_config_strict_ssl=false => MCP007:error
ENV EMAIL_VERIFY=false =>
env NODE_TLS_REJECT_UNAUTHORIZED=0 npx -y pkg@1.0.0 => MCP007:error
docker run -e NODE_TLS_REJECT_UNAUTHORIZED=0 img@sha256:@HEX64@ => MCP007:error
sh -c 'NODE_TLS_REJECT_UNAUTHORIZED=0 node s.js' => MCP006:warn MCP007:error
sh -c 'export NODE_TLS_REJECT_UNAUTHORIZED=0; node s.js' => MCP006:warn MCP007:error
node s.js --insecure => MCP007:error
node s.js --insecure=false =>
node s.js --no-verify-ssl => MCP007:error
node s.js --verify-ssl=false => MCP007:error
node s.js --verify-ssl false => MCP007:error
node s.js --verify-ssl =>
node s.js --tls-skip-verify => MCP007:error
sh -c 'curl -k https://a.tld' => MCP006:warn MCP007:error
sh -c 'curl -fsSLk https://a.tld' => MCP006:warn MCP007:error
curl -sk https://a.tld => MCP007:error
curl -fsSL https://a.tld =>
node s.js -k =>
uvx --allow-insecure-host pypi.corp.tld pkg==1.0 => MCP007:error
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/corp.pem =>
`

func TestEndpoint(t *testing.T) { runTable(t, endpointCases) }

const endpointCases = `
node s.js --host 0.0.0.0 => MCP008:warn
node s.js --host=0.0.0.0 => MCP008:warn
node s.js --host :: => MCP008:warn
node s.js --bind 0.0.0.0:8080 => MCP008:warn
node s.js --listen [::]:8080 => MCP008:warn
node s.js --addr *:8080 => MCP008:warn
node s.js -H 0.0.0.0 => MCP008:warn
node s.js --hostname 0.0.0.0 => MCP008:warn
python -m uvicorn main:app --host 0.0.0.0 --port 8000 => MCP008:warn
uv run server.py --host 0.0.0.0 => MCP008:warn
node s.js --host 127.0.0.1 =>
node s.js --host localhost =>
node s.js --relay-host 127.0.0.1 =>
node s.js --allowed-hosts * =>
node s.js --allow-origin * =>
node s.js --port 8000 =>
ENV HOST=0.0.0.0 => MCP008:warn
ENV MCP_HOST=0.0.0.0 => MCP008:warn
ENV FASTMCP_HOST=:: => MCP008:warn
ENV BIND_ADDRESS=0.0.0.0:8080 => MCP008:warn
ENV LISTEN=* => MCP008:warn
ENV ASPNETCORE_URLS=http://0.0.0.0:5000 => MCP008:warn
ENV HOST=127.0.0.1 =>
ENV DB_HOST=db.vendor.tld =>
ENV ALLOWED_HOSTS=* =>
ENV CORS_ALLOW_HOST=* =>
ENV API=http://0.0.0.0:8080 =>
docker run -e HOST=0.0.0.0 img@sha256:@HEX64@ =>
docker run -p 8080:80 img@sha256:@HEX64@ => MCP008:warn
docker run -p8080:80 img@sha256:@HEX64@ => MCP008:warn
docker run --publish=8080:80 img@sha256:@HEX64@ => MCP008:warn
docker run -p 0.0.0.0:8080:80 img@sha256:@HEX64@ => MCP008:warn
docker run -p [::]:8080:80 img@sha256:@HEX64@ => MCP008:warn
docker run -p 8080 img@sha256:@HEX64@ => MCP008:warn
docker run -P img@sha256:@HEX64@ => MCP008:warn
docker run -p ${PORT}:80 img@sha256:@HEX64@ => MCP008:warn
docker run -p 127.0.0.1:8080:80 img@sha256:@HEX64@ =>
docker run -p [::1]:8080:80 img@sha256:@HEX64@ =>
docker run -p 127.0.0.1::80 img@sha256:@HEX64@ =>
docker run -p ${BIND}:8080:80 img@sha256:@HEX64@ =>
URL http://169.254.169.254/latest => MCP007:error MCP008:error
URL http://metadata.google.internal/mcp => MCP007:error MCP008:error
URL http://2852039166/mcp => MCP007:error MCP008:error
URL http://0xA9FEA9FE/mcp => MCP007:error MCP008:error
URL http://[fd00:ec2::254]/mcp => MCP007:error MCP008:error
URL http://[::ffff:169.254.169.254]/mcp => MCP007:error MCP008:error
node s.js http://169.254.169.254/latest => MCP008:error
ENV METADATA=http://169.254.169.254/latest => MCP007:warn MCP008:error
ENV META_HOST=169.254.169.254 => MCP008:error
ENV NO_PROXY=169.254.169.254 =>
URL https://x.ngrok-free.app/mcp => MCP008:warn
URL https://x.ngrok.io/mcp => MCP008:warn
URL https://x.trycloudflare.com/mcp => MCP008:warn
URL https://x.loca.lt/mcp => MCP008:warn
URL https://10.0.0.1.nip.io/mcp => MCP008:warn
URL https://notngrok.io.a.tld/mcp =>
npx -y mcp-remote@0.15.1 https://x.ngrok.app/mcp => MCP008:warn
URL https://xn--pple-43d.tld/mcp => MCP008:warn
URL https://аpple.tld/mcp => MCP008:warn
URL https://bücher.tld/mcp => MCP008:warn
URL https://<your` + "\u200b" + `-host>/mcp =>
URL https://your` + "\u200b" + `-host/mcp =>
URL https://a.tld/sse => MCP008:info
URL https://a.tld/sse/ => MCP008:info
URL https://a.tld/v1/sse?x=1 => MCP008:info
URL https://a.tld/sse/messages =>
URL https://a.tld/assess =>
{"type":"sse","url":"https://a.tld/x"} => MCP008:info
{"transport":"sse","url":"https://a.tld/x"} => MCP008:info
{"transport":{"type":"sse"},"url":"https://a.tld/x"} => MCP008:info
{"type":"SSE","url":"https://a.tld/x"} => MCP008:info
{"type":"http","url":"https://a.tld/x"} =>
{"type":"streamable-http","url":"https://a.tld/mcp"} =>
npx -y mcp-remote@0.15.1 http://localhost:10001/sse => MCP008:info
npx -y mcp-remote@0.15.1 https://a.tld/mcp =>
{"url":"https://a.tld/mcp"} =>
`
