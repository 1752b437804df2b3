import type { Mutant } from './mutant.ts'

const store = ['plugins/traces/spans.test.ts']
const state = ['plugins/traces/state-routes.test.ts']
const policy = ['launcher/telemetry/trace-policy.test.ts']
const otlp = ['core/otlp/read-json.test.ts']
const protobuf = ['core/otlp/read-protobuf.test.ts']
const ports = ['plugins/traces/launcher/collector.test.ts']

/** Defects of traces: spans in traces of others, content beyond the policy, spans without a bound or an end. */
export const mutants: readonly Mutant[] = [
  {
    name: 'traces: an agent adds spans to the trace of another one',
    file: 'plugins/traces/receive-spans.ts',
    find: "owners.get(span.traceId) !== 'foreign'",
    replace: 'span.traceId !== ""',
    tests: [...store, ...state],
  },
  {
    name: 'traces: a called agent replaces spans of its caller',
    file: 'plugins/traces/spans/build-trace.ts',
    find: 'return `${agentUid} ${spanId}`',
    replace: 'return agentUid && spanId',
    tests: ['plugins/traces/spans/build-trace.test.ts'],
  },
  {
    name: 'traces: a trace has no quota',
    file: 'plugins/traces/store/store-spans.ts',
    find: 'where t.spans + excluded.spans <= ${most}',
    replace: 'where ${most} > 0',
    tests: store,
  },
  {
    name: 'traces: a namespace has no quota',
    file: 'core/database/usage-table.ts',
    find: ' and ${within((count) => sql`${added[count]}::bigint`)}',
    replace: '',
    tests: store,
  },
  {
    name: 'traces: a namespace above its quota stores more',
    file: 'core/database/usage-table.ts',
    find: 'where ${within((count) => sql`u.${sql.ref(count)} + excluded.${sql.ref(count)}`)}',
    replace: '',
    tests: store,
  },
  {
    name: 'traces: spans are read in namespaces without a proof',
    file: 'plugins/traces/store/read-spans.ts',
    find: 'where trace_id = ${traceId} and namespace = any(${namespacesOf(accesses)}::text[])',
    replace: 'where trace_id = ${traceId}',
    tests: store,
  },
  {
    name: 'traces: spans outlive the last run of their trace',
    file: 'plugins/traces/consumers.ts',
    find: 'traceIds.filter((id) => !held.has(id))',
    replace: 'traceIds.filter((id) => held.has(id))',
    tests: store,
  },
  {
    name: 'traces: removed spans still count for the namespace',
    file: 'plugins/traces/store/remove-spans.ts',
    find: 'rows.map(({ namespace_uid: owner, bytes }) => ({ owner, bytes }))',
    replace: 'rows.map(({ namespace_uid: owner }) => ({ owner, bytes: 0 }))',
    tests: store,
  },
  {
    name: 'traces: metadata keeps every text',
    file: 'launcher/telemetry/trace-policy.ts',
    find: "const keepText = capture === 'full' ? () => true : isMetadata",
    replace: 'const keepText = () => true',
    tests: policy,
  },
  {
    name: 'traces: names of spans are not redacted',
    file: 'launcher/telemetry/trace-policy.ts',
    find: 'name: redact(span.name),',
    replace: 'name: span.name,',
    tests: policy,
  },
  {
    name: 'traces: a span of the future is stored',
    file: 'core/otlp/raw-span.ts',
    find: 'if (ended > BigInt(now + MAX_AHEAD_MS) * NANOS_PER_MS)',
    replace: 'if (ended < 0n)',
    tests: otlp,
  },
  {
    name: 'traces: a span has any number of attributes',
    file: 'core/otlp/read-json.ts',
    find: 'const kept = given.slice(0, most)',
    replace: 'const kept = given.slice(0, most * given.length)',
    tests: otlp,
  },
  {
    name: 'traces: a zip bomb is decompressed',
    file: 'plugins/traces/launcher/exports.ts',
    find: '{ maxOutputLength: MAX_EXPORT_BYTES, finishFlush',
    replace: '{ finishFlush',
    tests: ports,
  },
  {
    name: 'traces: an agent names itself as another one',
    file: 'plugins/traces/launcher/exports.ts',
    find: '{ ...origin.resource, ...agent }',
    replace: '{ ...agent, ...origin.resource }',
    tests: ports,
  },
  {
    name: 'traces: reading spans has the priority of requests',
    file: 'plugins/traces/launcher/thread.ts',
    find: '  giveWay()\n',
    replace: '',
    tests: ports,
    only: 'gives way',
  },
  {
    name: 'traces: calls that are refused over gRPC are not counted',
    file: 'plugins/traces/launcher/handlers.ts',
    find: '        onRefusal(otlpGrpcPort.name, error.code)\n',
    replace: '',
    tests: ports,
    only: 'counts what the ports refuse',
  },
  {
    name: 'traces: the last counts of the thread are lost',
    file: 'plugins/traces/launcher/thread.ts',
    find: '        counts.flush()\n',
    replace: '',
    tests: ports,
    only: 'counts what the ports refuse',
  },
  {
    name: 'traces: dropped spans are counted in the log only',
    file: 'launcher/telemetry/span-export.ts',
    find: 'dropped: parts.onDropped',
    replace: 'dropped: () => undefined',
    tests: ports,
    only: 'counts what the ports refuse',
  },
  {
    name: 'traces: a message over gRPC may be cut',
    file: 'plugins/traces/launcher/handlers.ts',
    find: 'body.readUInt32BE(1) === body.length - PREFIX_BYTES',
    replace: 'body.length > 0',
    tests: ports,
  },
  {
    name: 'traces: values of protobuf nest without a bound',
    file: 'core/otlp/read-protobuf-values.ts',
    find: '|| depth >= spanBounds.depth) return undefined',
    replace: '|| depth >= 1e9) return undefined',
    tests: protobuf,
  },
  {
    name: 'traces: a span says that more is missing than OTLP can',
    file: 'core/otlp/raw-span.ts',
    find: 'Math.min(raw.dropped, 2 ** 32 - 1)',
    replace: 'raw.dropped',
    tests: otlp,
  },
  {
    name: 'traces: resources of spans wait without a bound',
    file: 'core/otlp/otlp-span-exporter.ts',
    find: 'return span.length + Math.max(',
    replace: 'return span.length + 0 * Math.max(',
    tests: ['core/otlp/otlp-span-exporter.test.ts'],
    only: 'F6',
  },
  {
    name: 'traces: the name of an attribute counts as a whole',
    file: 'core/guardrails/detectors/secret-names.ts',
    find: "name.slice(name.lastIndexOf('.') + 1)",
    replace: 'name',
    tests: ['launcher/telemetry/trace-policy.test.ts'],
    only: 'R2-N8',
  },
]
