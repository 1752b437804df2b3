import { once } from 'node:events'
import { createServer } from 'node:net'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { defaultAgentPort, reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import { workloadResources } from './objects/workload-objects.ts'
import type { LocalContainers } from './local-containers.ts'
import type { Container, Pod } from './objects/workload-objects.ts'
import type { MountedVolumes } from './volumes.ts'

// Variables that programs need; no other variable of the platform's environment reaches a launcher or agent.
const inherited = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']

/** Environments of the processes of a local pod, and the port on which its launcher serves. */
export interface LocalEnvironment {
  readonly launcher: Readonly<Record<string, string>>
  /** Environment of the agent's process; undefined for a declarative agent. Only this environment has the user's variables (F8). */
  readonly agent: Readonly<Record<string, string>> | undefined
  readonly port: number
  /** Port for calls of other agents; undefined for an agent without a registry. */
  readonly ampPort: number | undefined
}

/** Environments of a pod's containers on this machine: mounts are local folders, ports are allocated. */
export async function localEnvironment(
  { cluster, reservedPorts: isReserved = false }: { readonly cluster: KubeClient; readonly reservedPorts?: boolean },
  pod: Pod,
  { launcher, agent }: LocalContainers,
  volumes: MountedVolumes,
): Promise<LocalEnvironment> {
  const own = Object.fromEntries(
    inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? '']])),
  )
  const [port, ports] = await Promise.all([
    freePort(),
    allocated([launcher, ...(agent === undefined ? [] : [agent])], isReserved),
  ])
  const located = async (container: Container): Promise<Record<string, string>> => {
    const declared = Object.entries(await declaredVariables(cluster, pod, container, ports))
    return Object.fromEntries(declared.map(([name, value]) => [name, localPath(value, container, volumes)]))
  }
  // On this machine, the launcher starts the agent.
  const { MESH_AGENT_CONTAINER: _, ...forLauncher } = await located(launcher)
  const forAgent = agent === undefined ? undefined : await located(agent)
  const ampPort = Number(ports[reservedPorts.ampInbound.env] ?? 0) || undefined
  return {
    port,
    ampPort,
    agent: forAgent === undefined ? undefined : { ...own, ...forAgent, ...ports },
    launcher: {
      ...own,
      ...forLauncher,
      ...ports,
      MESH_BIND: '127.0.0.1',
      [reservedPorts.invoke.env]: String(port),
      MESH_PARENT_PIPE_FD: '3',
    },
  }
}

async function allocated(containers: readonly Container[], isReserved: boolean): Promise<Record<string, string>> {
  const declared = new Set(containers.flatMap(({ env = [] }) => env.map(({ name }) => name)))
  const names = [...Object.values(reservedPorts).map((row) => row.env), 'AGENT_PORT'].filter((name) =>
    declared.has(name),
  )
  const usual = isReserved ? usualPorts() : new Map<string, number>()
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort(usual.get(name)))] as const))
  return Object.fromEntries(ports)
}

// A pod has an address of its own for calls of other agents; here it would be the port of the calls to them.
function usualPorts(): Map<string, number> {
  const { invoke: _, ampInbound: __, ...loopback } = reservedPorts
  return new Map([
    ['AGENT_PORT', defaultAgentPort],
    ...Object.values(loopback).map(({ env, port }) => [env, port] as const),
  ])
}

async function declaredVariables(
  cluster: KubeClient,
  pod: Pod,
  container: Container,
  ports: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const variable of container.env ?? []) {
    const { fieldRef, secretKeyRef, configMapKeyRef } = variable.valueFrom ?? {}
    if (fieldRef !== undefined) found[variable.name] = fieldValue(pod, fieldRef.fieldPath)
    else if (secretKeyRef !== undefined)
      found[variable.name] = Buffer.from(await keyOf(cluster, pod, 'secrets', secretKeyRef), 'base64').toString('utf8')
    else if (configMapKeyRef !== undefined)
      found[variable.name] = await keyOf(cluster, pod, 'configMaps', configMapKeyRef)
    // Set before references to it are resolved.
    else if (ports[variable.name] !== undefined) found[variable.name] = ports[variable.name] ?? ''
    // `$(NAME)` refers to an earlier variable, as in the kubelet.
    else
      found[variable.name] = (variable.value ?? '').replace(
        /\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g,
        (whole, name: string) => found[name] ?? whole,
      )
  }
  return found
}

function fieldValue(pod: Pod, path: string): string {
  const label = /^metadata\.labels\['([^']+)'\]$/.exec(path)?.[1]
  if (label !== undefined) return pod.metadata.labels?.[label] ?? ''
  if (path === 'metadata.name') return pod.metadata.name
  if (path === 'metadata.namespace') return pod.metadata.namespace ?? ''
  return path === 'metadata.uid' ? (pod.metadata.uid ?? '') : '127.0.0.1'
}

/** Thrown if the source of a variable is missing; the message becomes the container's waiting message. */
export class MissingKey extends Error {}

async function keyOf(
  cluster: KubeClient,
  pod: Pod,
  from: 'secrets' | 'configMaps',
  reference: { readonly name: string; readonly key: string },
): Promise<string> {
  const namespace = parseLabel('namespace', pod.metadata.namespace ?? '')
  const ref = { namespace, name: parseName('name', reference.name) }
  const object = await cluster.get<KubeObject & { data?: Record<string, string> }>(workloadResources[from], ref)
  const value = object.data?.[reference.key]
  if (value === undefined)
    throw new MissingKey(`couldn't find key ${reference.key} in ${workloadResources[from].kind} ${reference.name}`)
  return value
}

function localPath(value: string, container: Container, volumes: MountedVolumes): string {
  const mount = container.volumeMounts?.find((one) => value === one.mountPath || value.startsWith(`${one.mountPath}/`))
  return mount === undefined ? value : volumes.folderOf(mount.name) + value.slice(mount.mountPath.length)
}

/** The wanted loopback port if it is free, else any free one. Another process may take it: the launcher then ends, and its restart gets another. */
async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (wanted === 0) throw error
    return freePort()
  }
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('the system assigned no port')
  return address.port
}
