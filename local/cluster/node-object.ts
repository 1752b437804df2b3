import { arch, cpus, hostname, platform, release, totalmem, type } from 'node:os'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { LOCAL_NODE } from '../workloads/objects/pod-object.ts'

const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false }

/** The node that local pods name, as `kubectl get nodes` shows it. */
function nodeObject(): KubeObject {
  const labels = {
    'kubernetes.io/hostname': LOCAL_NODE,
    'kubernetes.io/os': platform(),
    'kubernetes.io/arch': archName(),
    'node-role.kubernetes.io/control-plane': '',
  }
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: LOCAL_NODE, labels } }
}

function nodeStatus(now: Date): object {
  const time = `${now.toISOString().slice(0, 19)}Z`
  const capacity = { cpu: String(cpus().length), memory: `${Math.floor(totalmem() / 1024)}Ki`, pods: '110' }
  const times = { lastHeartbeatTime: time, lastTransitionTime: time }
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: 'InternalIP', address: '127.0.0.1' },
      { type: 'Hostname', address: hostname() },
    ],
    conditions: [
      { type: 'Ready', status: 'True', reason: 'ProcessesRun', message: 'agents run as processes', ...times },
    ],
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kernelVersion: release(),
      osImage: type(),
      containerRuntimeVersion: `node://${process.versions.node}`,
      kubeletVersion: 'v1.36.0+mesh',
      kubeProxyVersion: '',
      operatingSystem: platform(),
      architecture: archName(),
    },
  }
}

// Names in Go, which node selectors use.
const archName = (): string => (arch() === 'x64' ? 'amd64' : arch())

/** Applies the one node of the embedded default. */
export async function applyNode(cluster: KubeClient, fieldManager: string): Promise<void> {
  const ref = { name: parseName('metadata.name', LOCAL_NODE) }
  await cluster.patch(nodes, ref, { type: 'apply', body: nodeObject(), force: true }, { fieldManager })
  const body = { status: nodeStatus(new Date()) }
  await cluster.patch(nodes, ref, { type: 'merge', body }, { fieldManager, subresource: 'status' })
}
