import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { TraceSpanNode } from '#schemas/api/traces.ts'
import { needs } from './checks.ts'
import { namespace, readUntil, request, send } from './bff.ts'
import type { Bff } from './bff.ts'
import { here } from './toolbox.ts'
import type { Check, Workspace } from './workspace.ts'

interface Variable {
  readonly name: string
  readonly value: string
}

// As docs/how-to/see-traces.md says.
const tracesOnly: readonly Variable[] = [
  { name: 'OTEL_METRICS_EXPORTER', value: 'none' },
  { name: 'OTEL_LOGS_EXPORTER', value: 'none' },
]
const overGrpc: readonly Variable[] = [
  { name: 'OTEL_EXPORTER_OTLP_PROTOCOL', value: 'grpc' },
  { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://127.0.0.1:$(OTLP_GRPC_PORT)' },
]

/** The SDK of OpenTelemetry for Python, started by its own command: it exports to ports 4318 and 4317 of an agent by variables alone. */
export function otelPythonCheck({ server }: Workspace, tools: string | undefined): Check {
  const name = 'opentelemetry-python'
  if (tools === undefined) return { name, missing: needs('python3'), steps: {} }
  const bin = join(tools, 'venv', 'bin')
  const exported = async (protocol: string, env: readonly Variable[]): Promise<void> => {
    const command = [join(bin, 'opentelemetry-instrument'), join(bin, 'python3'), join(here, 'programs/otel_agent.py')]
    await holdSpan(await server, { protocol, command, env: [...tracesOnly, ...env] })
  }
  return {
    name,
    steps: {
      'spans over http/protobuf': () => exported('http/protobuf', []),
      'spans over grpc': () => exported('grpc', overGrpc),
    },
  }
}

interface Agent {
  readonly protocol: string
  readonly command: readonly string[]
  readonly env: readonly Variable[]
}

/** Runs the agent, and finds the span that it ended below a span of its launcher, without the prompt. */
async function holdSpan(bff: Bff, { protocol, command, env }: Agent): Promise<void> {
  const name = `otel-${randomUUID().slice(0, 8)}`
  await send(bff, 'agents', { name, spec: { runtime: { command, env } } })
  const input = { agent: { namespace, name }, input: {} }
  const { runId, output } = await request(bff, 'invoke', { method: 'POST', body: JSON.stringify(input) })
  assert.equal(output, protocol)
  const find = ({ roots }: Trace) => roots.flatMap(withChildren).find((one) => one.name === 'plan')
  const trace = await readUntil<Trace>(bff, `traces/${String(runId)}/detail`, (answer) => find(answer) !== undefined)
  const span = find(trace)
  assert.deepEqual([span?.kind, span?.scope, span?.agent], ['client', 'my-agent', { namespace, name }])
  assert.deepEqual(span?.attributes, { 'gen_ai.request.model': 'gpt-x', 'gen_ai.usage.input_tokens': 7 })
  assert.ok(!trace.roots.includes(span), JSON.stringify(trace))
  assert.doesNotMatch(JSON.stringify(trace), /secret/)
}

interface Trace {
  readonly roots: readonly TraceSpanNode[]
}

function withChildren(span: TraceSpanNode): readonly TraceSpanNode[] {
  return [span, ...span.children.flatMap(withChildren)]
}
