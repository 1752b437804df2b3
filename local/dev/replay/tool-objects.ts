import type { KubeObject } from '#core/kube/client.ts'
import { API_VERSION } from '#schemas/names/group.ts'
import type { ExpandedDocument } from '#schemas/agent-file/to-documents.ts'
import type { Fixture } from '#schemas/runs/fixture.ts'

interface BoundTool {
  readonly name: string
  readonly bindingRef?: { readonly name: string; readonly namespace?: string }
}

/** The recorded MCP servers at a replay, and the bindings by which the agent names them. Pure. */
export function replayedTools(agent: ExpandedDocument, fixture: Fixture, url: string): readonly KubeObject[] {
  const home = agent.metadata.namespace ?? 'default'
  const tools = (agent.spec['tools'] ?? []) as readonly BoundTool[]
  return tools.flatMap(({ name, bindingRef }) => {
    const server = bindingRef === undefined ? undefined : serverOf(fixture, name)
    if (bindingRef === undefined || server === undefined) return []
    // A binding names a server of its own namespace.
    const namespace = bindingRef.namespace ?? home
    const serverName = server.split('/').at(-1) ?? ''
    return [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      object('McpServer', namespace, serverName, { url: `${url}/mcp/${server}` }),
      object('McpToolBinding', namespace, bindingRef.name, {
        serverRef: { name: serverName },
        allowedNamespaces: [home],
      }),
    ]
  })
}

// The agent calls a tool as `<entry>_<tool>`.
function serverOf({ tool }: Fixture, entry: string): string | undefined {
  const prefix = `${entry}_`.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  return (tool.find(({ request }) => request.name.startsWith(prefix)) ?? tool[0])?.request.server
}

function object(kind: string, namespace: string, name: string, spec: object): KubeObject {
  return { apiVersion: API_VERSION, kind, metadata: { namespace, name }, spec }
}
