import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#test/harness/free-port.ts'
import type { Scope } from '#test/harness/scope.ts'
import { peersFolder } from '../model-proxy/peers.ts'
import { startProcess } from '../tools/platform.ts'

/** Two proxies in a row before a server, as two sidecars are. */
export interface Hops {
  readonly pids: readonly number[]
  readonly origin: string
  readonly path: string
}

/** A server that answers every request with a fixed document. */
export async function startApp(t: Scope): Promise<{ readonly pid: number; readonly port: number }> {
  const source = `const s = require('node:http').createServer((q, a) => { a.setHeader('content-type', 'application/json');
    q.resume(); q.on('end', () => a.end('{"output":"pong"}')) }).listen(0, '127.0.0.1', () => console.log(s.address().port))`
  const app = await startProcess(process.execPath, ['-e', source])
  t.after(() => app.stop())
  return { pid: app.pid, port: Number(app.line) }
}

/** Two processes of Node that forward by undici and read nothing. */
export async function startBare(t: Scope, port: number): Promise<Hops> {
  const program = join(import.meta.dirname, '..', 'model-proxy', 'bare-process.ts')
  const pids: number[] = []
  let origin = `http://127.0.0.1:${port}`
  for (let hop = 0; hop < 2; hop++) {
    const proxy = await startProcess(process.execPath, [program], { env: { UPSTREAM: origin } })
    t.after(() => proxy.stop())
    pids.push(proxy.pid)
    origin = `http://127.0.0.1:${proxy.line}`
  }
  return { pids, origin, path: '/amp/callee' }
}

/** One nginx with two servers, the first of which forwards to the second; undefined where the machine has none. */
export async function startNginx(t: Scope, folder: string, port: number): Promise<Hops | undefined> {
  const program = '/usr/sbin/nginx'
  if (!existsSync(program)) return undefined
  const own = join(folder, 'nginx')
  mkdirSync(own)
  const [first, second] = [await freePort(), await freePort()]
  const server = (listen: number, next: string) => `server { listen 127.0.0.1:${listen};
    location / { proxy_pass http://${next}; proxy_http_version 1.1; proxy_set_header Connection ""; } }`
  const upstream = (name: string, to: number) =>
    `upstream ${name} { server 127.0.0.1:${to}; keepalive 256; keepalive_requests 1000000; }`
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${own}/${name};`)
  writeFileSync(
    join(own, 'nginx.conf'),
    `daemon off; master_process off; pid ${own}/pid; error_log ${own}/error.log;
events { worker_connections 2048; }
http { access_log off; ${paths.join(' ')} keepalive_requests 1000000;
  ${upstream('second', second)} ${upstream('app', port)}
  ${server(first, 'second')} ${server(second, 'app')} }
`,
  )
  const pid = await startPeer(t, program, ['-c', join(own, 'nginx.conf'), '-p', own], `http://127.0.0.1:${first}`)
  return { pids: [pid], origin: `http://127.0.0.1:${first}`, path: '/amp/callee' }
}

/** Two sidecars of Dapr, the binary of which is `daprd` in BENCH_PEERS; undefined without it. */
export async function startDapr(t: Scope, folder: string, port: number): Promise<Hops | undefined> {
  const program = join(peersFolder ?? folder, 'daprd')
  if (!existsSync(program)) return undefined
  const own = join(folder, 'dapr')
  mkdirSync(join(own, 'components'), { recursive: true })
  const connectionString = join(own, 'names.db')
  const nameResolution = { component: 'sqlite', version: 'v1', configuration: { connectionString } }
  const metadata = { name: 'dapr' }
  const spec = { nameResolution, tracing: { samplingRate: '0' }, metric: { enabled: false } }
  const config = { apiVersion: 'dapr.io/v1alpha1', kind: 'Configuration', metadata, spec }
  writeFileSync(join(own, 'config.yaml'), JSON.stringify(config))
  const pids: number[] = []
  let origin = ''
  for (const id of ['callee', 'caller']) {
    const http = await freePort()
    const values = {
      'app-id': id,
      'app-port': String(port),
      'dapr-http-port': String(http),
      'dapr-grpc-port': String(await freePort()),
      'dapr-internal-grpc-port': String(await freePort()),
      'dapr-listen-addresses': '127.0.0.1',
      config: join(own, 'config.yaml'),
      'resources-path': join(own, 'components'),
      'log-level': 'error',
    }
    const args = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value])
    origin = `http://127.0.0.1:${http}`
    pids.push(await startPeer(t, program, args, `${origin}/v1.0/healthz/outbound`))
  }
  return { pids, origin, path: '/v1.0/invoke/callee/method/amp' }
}

async function startPeer(t: Scope, program: string, args: readonly string[], url: string): Promise<number> {
  const child = spawn(program, args, { stdio: 'ignore' })
  t.after(() => child.kill())
  for (let tries = 0; tries < 300 && child.exitCode === null; tries++) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) return child.pid ?? 0
    await sleep(100)
  }
  throw new Error(`${program} does not listen`)
}
