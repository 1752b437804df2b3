import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import type { KubeClient, KubeObject, Patch } from '#core/kube/client.ts'
import { isObject } from '#core/json/is-object.ts'
import type { Workloads } from '#local/workloads/start-workloads.ts'
import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import { CANDIDATE_LABEL, REVISION_NUMBER_LABEL } from '#schemas/names/labels.ts'
import type { Scope } from '#test/harness/scope.ts'

const { port } = reservedPorts.invoke

type Container = { readonly env?: readonly { readonly name: string }[] }
type Pod = KubeObject<{ readonly containers: readonly Container[]; readonly initContainers?: readonly Container[] }>

/** The node's client with which candidates get addresses, and the processes to connect them to. */
export interface CandidateNetwork {
  readonly cluster: KubeClient
  connect(workloads: Pick<Workloads, 'launchers'>): void
}

/**
 * Gives each pod of a candidate an address of its own, as a node does: the port of launchers on it leads to the process of the pod. Other pods are found
 * by their Service, whose EndpointSlices may have no loopback addresses. Linux only: other systems have one loopback address.
 */
export function createCandidateNetwork(t: Scope, cluster: KubeClient): CandidateNetwork {
  const addresses = new Map<string, string>()
  let workloads: Pick<Workloads, 'launchers'> | undefined
  const attach = async (pod: Pod): Promise<Pod> => {
    const { namespace = '', labels = {} } = pod.metadata
    const agent = labels[CANDIDATE_LABEL]
    if (agent === undefined) return pod
    const address = addressOf(addresses.size)
    const of = { namespace, name: agent, candidate: Number(labels[REVISION_NUMBER_LABEL]) }
    await listenOn(t, address, () => workloads?.launchers(of).at(-1)?.url)
    addresses.set(pod.metadata.name, address)
    return withAddress(pod, address)
  }
  return {
    connect: (running) => (workloads = running),
    cluster: {
      ...cluster,
      create: async (resource, object, options) =>
        cluster.create(
          resource,
          resource.plural === 'pods' ? ((await attach(object as Pod)) as typeof object) : object,
          options,
        ),
      patch: async (resource, ref, patch, options) =>
        cluster.patch(resource, ref, addressed(patch, addresses.get(ref.name)), options),
    },
  }
}

// Of this process: test files run at once.
function addressOf(count: number): string {
  return `127.${64 + (count % 64)}.${(process.pid >> 8) & 255}.${process.pid & 255}`
}

// The launcher accepts requests to the address of its pod, here with the port of every launcher: its process has another one.
function withAddress(pod: Pod, address: string): Pod {
  const located = (container: Container) => ({
    ...container,
    env: container.env?.map((one) => (one.name === 'POD_IP' ? { name: one.name, value: `${address}:${port}` } : one)),
  })
  const { containers = [], initContainers, ...spec } = pod.spec ?? {}
  const sidecars = initContainers === undefined ? {} : { initContainers: initContainers.map(located) }
  return { ...pod, spec: { ...spec, containers: containers.map(located), ...sidecars } } as Pod
}

function addressed(patch: Patch, ip: string | undefined): Patch {
  const { body } = patch
  if (ip === undefined || !isObject(body) || !isObject(body['status'])) return patch
  return { ...patch, body: { ...body, status: { ...body['status'], podIP: ip, podIPs: [{ ip }] } } } as Patch
}

async function listenOn(t: Scope, address: string, target: () => string | undefined): Promise<void> {
  const open = new Set<Socket>()
  const server: Server = createServer((socket) => {
    const url = target()
    if (url === undefined) return void socket.destroy()
    const onward = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      open.add(one)
      one.on('error', () => undefined).once('close', () => (open.delete(one), other.destroy()))
    }
    socket.pipe(onward).pipe(socket)
  })
  server.listen(port, address)
  await once(server, 'listening')
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
}
