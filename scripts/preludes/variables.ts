import { defaultAgentPort, reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { ReservedPort } from '#schemas/launcher/launcher-ports.ts'

const block = /<!-- variables -->\n[\s\S]*?<!-- \/variables -->/

// Purpose of each port for an agent, by its variable.
const uses: Readonly<Record<string, string>> = {
  DELEGATE_PORT: '`POST http://127.0.0.1:$DELEGATE_PORT/delegate` runs another agent',
  FEEDBACK_PORT: '`POST http://127.0.0.1:$FEEDBACK_PORT/feedback` [scores a run](#feedback)',
  A2A_PORT:
    '`POST http://127.0.0.1:$A2A_PORT/amp/{agent}` [calls a member](connect-agents.md) of a registry; `AGENT_REGISTRY_ID` is set too',
  MEMORY_PORT: '[memory](use-memory.md) and [knowledge](use-knowledge.md)',
  DISCOVERY_PORT: '[tools](use-tools.md): `GET /tools`, `POST /tools/{name}/call`, and MCP at `/mcp`',
  OTLP_GRPC_PORT: 'receives [spans](see-traces.md#send-spans-of-your-own)',
  OTLP_HTTP_PORT: 'receives [spans](see-traces.md#send-spans-of-your-own)',
}

const others: readonly (readonly [names: string, present: string, content: string])[] = [
  [
    '`MODEL_GATEWAY_URL`',
    'with `model`',
    'OpenAI-compatible base URL; append `/v1/chat/completions`. With a budget or guardrails it is a port of the launcher',
  ],
  [
    '`MODEL_GATEWAY_TOKEN_FILE`',
    'with `model`, without a budget and guardrails',
    'file with the bearer token; read it for each call, since it is rotated. Absent: send any key, or none',
  ],
  [
    '`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_PROTOCOL`',
    'traces are on',
    'where the agent may [send spans](see-traces.md#send-spans-of-your-own)',
  ],
]

/** The page with the table of variables of an agent, if it has the markers. Throws for a port of agents without a description. */
export function withVariables(page: string): string {
  const rows: readonly ReservedPort[] = Object.values(reservedPorts)
  const ports = rows.filter(({ bind, env }) => bind === 'loopback' && !env.startsWith('MESH_')).map(rowOf)
  const agent = [
    '`AGENT_PORT`',
    'always',
    `port to listen on, on \`127.0.0.1\`; \`runtime.port\` sets it, ${defaultAgentPort} by default`,
  ] as const
  const lines = [agent, ...ports, ...others].map((cells) => `| ${cells.join(' | ')} |`)
  const table = ['| variable | present when | content |', '|---|---|---|', ...lines].join('\n')
  return page.replace(block, () => `<!-- variables -->\n\n${table}\n\n<!-- /variables -->`)
}

function rowOf({ env, startedWhen }: ReservedPort): readonly [string, string, string] {
  const use = uses[env]
  if (use === undefined) throw new Error(`the port ${env} of agents has no text in the table of variables`)
  return [`\`${env}\``, startedWhen, use]
}
