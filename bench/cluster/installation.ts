import { join } from 'node:path'
import { createPool } from '#core/kube/connection-pool.ts'
import type { KubePool } from '#core/kube/connection-pool.ts'
import { findServer } from '#test/harness/find-server.ts'
import { heapFlags } from '#test/harness/heap-flags.ts'
import { startKube } from '#test/harness/kube.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { root, startProcess } from '../tools/platform.ts'
import type { Started } from '../tools/platform.ts'
import { createAgents, installKinds } from './agents.ts'

const withReal = findServer('kube-apiserver') !== undefined && findServer('etcd') !== undefined

/** API servers available here. The embedded one runs in the BFF's process. */
export const places: readonly string[] = ['embedded', ...(withReal ? ['kube-apiserver'] : [])]

/** A BFF with an API server that contains agents. */
export interface Installation {
  readonly bff: Started
  readonly own: KubePool
  readonly cluster: KubePool
  readonly token: string
  /** Arguments by which another program reaches the API server: its address, and its authority if it uses TLS. */
  readonly address: readonly string[]
}

/** Starts a BFF on one of `places` with this number of agents. */
export async function openInstallation(t: Scope, place: string, agents: number): Promise<Installation> {
  return place === 'embedded' ? onEmbedded(t, agents) : onReal(t, agents)
}

async function onEmbedded(t: Scope, agents: number): Promise<Installation> {
  const bff = await startBff(t, [])
  const { url, server, token } = JSON.parse(bff.line) as { url: string; server: string; token: string }
  const cluster = poolOf(t, server)
  await createAgents(cluster, token, agents)
  return { bff, own: poolOf(t, url), cluster, token, address: [server] }
}

async function onReal(t: Scope, agents: number): Promise<Installation> {
  const kube = await startKube(t)
  const token = kube.tokens['admin'] ?? ''
  const cluster = poolOf(t, kube.url, { ca: kube.ca })
  await installKinds(cluster, token)
  await createAgents(cluster, token, agents)
  const bff = await startBff(t, [kube.url, kube.ca])
  const { url } = JSON.parse(bff.line) as { url: string }
  return { bff, own: poolOf(t, url), cluster, token, address: [kube.url, kube.ca] }
}

async function startBff(t: Scope, address: readonly string[]): Promise<Started> {
  const folder = tempFolder('bench')
  t.after(folder.remove)
  return startProgram(t, 'bff.ts', [join(folder.path, 'data'), ...address])
}

/** Starts a program of this folder with the flags of `npm start` and the image. */
export async function startProgram(
  t: Scope,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const file = join(root, 'bench', 'cluster', program)
  const started = await startProcess(process.execPath, [...heapFlags, file, ...args], { env })
  t.after(() => started.stop())
  return started
}

/** A pool closed with the scope. */
export function poolOf(t: Scope, url: string, tls: { readonly ca?: string } = {}): KubePool {
  const pool = createPool(url, tls)
  t.after(() => pool.close())
  return pool
}
