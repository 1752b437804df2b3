import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { KubeClient } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { loadCertificate } from '@mesh.dev/embedded-apiserver/certificate'
import { LOCAL_NODE } from '#local/workloads/objects/pod-object.ts'
import type { Workloads } from '#local/workloads/start-workloads.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Send } from './send.ts'

const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true } as const

/**
 * The part of a kubelet that `pods/log` needs: a Node object and `GET /containerLogs/...`. The API server reads logs from a node, which the
 * runner of local workloads is not. With this, logs are read through a real API server with its own authorization.
 */
export async function serveKubelet(
  t: Scope,
  parts: {
    readonly workloads: Workloads
    readonly cluster: KubeClient
    readonly kube: Send
    readonly bearer: string
    readonly folder: string
  },
): Promise<void> {
  const { key, certificate } = loadCertificate(join(parts.folder, 'kubelet.pem'), new Date())
  const server = createServer({ key, cert: certificate }, (request, response) => {
    const url = new URL(request.url ?? '/', 'https://kubelet')
    const [, , namespace = '', name = '', container = ''] = url.pathname.split('/')
    const answer = async (): Promise<void> => {
      const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', name) }
      const pod = await parts.cluster.get(pods, ref)
      const lines = url.searchParams.get('tailLines')
      const log = parts.workloads.readPodLog({
        pod,
        container,
        previous: url.searchParams.get('previous') === 'true',
        follow: url.searchParams.get('follow') === 'true',
        timestamps: false,
        ...(lines === null ? {} : { tailLines: Number(lines) }),
        signal: new AbortController().signal,
      })
      response.writeHead(200, { 'content-type': 'text/plain' })
      for await (const text of log) response.write(text)
      response.end()
    }
    answer().catch(() => response.writeHead(500).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await announceNode(parts.kube, parts.bearer, (server.address() as AddressInfo).port)
}

async function announceNode(kube: Send, bearer: string, port: number): Promise<void> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: LOCAL_NODE } }
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  }
  await kube({ method: 'POST', path: '/api/v1/nodes', bearer, body: node })
  await kube({
    method: 'PATCH',
    path: `/api/v1/nodes/${LOCAL_NODE}/status`,
    bearer,
    contentType: 'application/merge-patch+json',
    body: { status },
  })
}
