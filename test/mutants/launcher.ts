import type { Mutant } from './mutant.ts'

const away = ['launcher/http-agent/agent-away.test.ts']
const listener = ['launcher/http/listener.test.ts']
const ending = ['launcher/http-agent/agent-ending.test.ts']
const hostileAgent = ['launcher/http-agent/hostile-agent.test.ts']
const eventStream = ['launcher/listeners/invoke/event-stream.test.ts']
const agentFile = ['schemas/agent-file/expand-agent-file.test.ts']

/** Defects in the defences of launcher and agent format against hostile input. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a body without Content-Length has no limit',
    file: 'launcher/http/read-body.ts',
    find: "if (size > limit) throw new Refusal('payload_too_large')",
    replace: "if (size > 1e12) throw new Refusal('payload_too_large')",
    tests: listener,
  },
  {
    name: 'HTTP/2 has no check of its authority',
    file: 'launcher/http/guard.ts',
    find: "[...valuesOf(request, ':authority'), ...valuesOf(request, 'host')]",
    replace: "request.httpVersionMajor === 2 ? [`localhost:${options.port}`] : valuesOf(request, 'host')",
    tests: listener,
  },
  {
    name: 'a field of a request may be inherited',
    file: 'launcher/http/schema.ts',
    find: '.find((name) => !Object.hasOwn(fields, name))',
    replace: '.find((name) => !(name in fields))',
    tests: listener,
  },
  {
    name: 'runs are sent on idle connections of the agent',
    file: 'launcher/http-agent/http-agent.ts',
    find: '    reset: true,\n',
    replace: '',
    tests: ending,
    only: 'PODA29',
  },
  {
    name: 'runs start while the kubelet ends the agent',
    file: 'launcher/listeners/invoke/probes.ts',
    find: '    agentEnding()\n',
    replace: '',
    tests: ending,
    only: 'PODA28',
  },
  {
    name: 'the YAML library compares all keys of a map in pairs',
    file: 'schemas/agent-file/parse.ts',
    find: 'uniqueKeys: false',
    replace: 'uniqueKeys: true',
    tests: agentFile,
    only: 'SEC3',
  },
  {
    name: 'every problem of an agent file is listed',
    file: 'schemas/agent-file/problem.ts',
    find: 'MAX_PROBLEMS = 20',
    replace: 'MAX_PROBLEMS = 100_000',
    tests: agentFile,
    only: 'SEC3',
  },
  {
    name: 'an agent may nest its JSON as deep as it likes',
    file: 'launcher/http/bounded-json.ts',
    find: 'if (++depth > maxJsonDepth)',
    replace: 'if (++depth > 1e9)',
    tests: hostileAgent,
    only: 'SEC19',
  },
  {
    name: 'the journal counts the bytes of an entry and not its memory',
    file: 'launcher/runs/journal.ts',
    find: 'const added = 2 * textBytes(text)',
    replace: 'const added = text.length',
    tests: ['launcher/runs/journal.test.ts'],
    only: 'PODS6',
  },
  {
    name: 'an agent may ask any number of questions',
    file: 'launcher/http-agent/agent-events.ts',
    find: '      if (interrupts.length === maxInterrupts) throw new Error(tooManyInterrupts)\n',
    replace: '',
    tests: hostileAgent,
    only: 'interrupts',
  },
  {
    name: 'a reader that is behind does not pause the agent',
    file: 'launcher/listeners/invoke/event-stream.ts',
    find: 'response.writableLength > pressureBytes ?',
    replace: 'response.writableLength > 1e12 ?',
    tests: eventStream,
    only: 'F6',
  },
  {
    name: 'a reader that takes nothing pauses the agent without end',
    file: 'launcher/listeners/invoke/event-stream.ts',
    find: 'if (response.writableLength >= left) response.destroy()',
    replace: '',
    tests: eventStream,
    only: 'is disconnected',
  },
  {
    name: 'a refused connection fails the run',
    file: 'launcher/http-agent/http-agent.ts',
    find: "error.syscall === 'connect'",
    replace: "error.syscall === 'none'",
    tests: away,
    only: 'PODA8',
  },
  {
    name: 'a draining launcher gives tickets',
    file: 'launcher/runs/run-registry.ts',
    find: "const code = refusing ? 'draining' : ready",
    replace: 'const code = ready',
    tests: away,
    only: 'PODA18',
  },
  {
    name: 'launcher: ended attempts are not counted',
    file: 'launcher/runs/run-registry.ts',
    find: '    options.onEnd?.(known.last.state)\n',
    replace: '',
    tests: ['launcher/launcher.test.ts'],
    only: 'H4',
  },
  {
    name: 'launcher: the last totals are not pushed',
    file: 'launcher/telemetry/telemetry.ts',
    find: ', metrics?.close()',
    replace: '',
    tests: ['launcher/launcher.test.ts'],
    only: 'H4',
  },
  {
    name: 'the agent gets the headers of the collector',
    file: 'launcher/settings/settings.ts',
    find: "  'OTEL_EXPORTER_OTLP_HEADERS',\n",
    replace: '',
    tests: ['launcher/launcher.test.ts'],
    only: 'wrong OTEL_EXPORTER_OTLP_HEADERS',
  },
  {
    name: 'a header of the collector may end its line',
    file: 'core/telemetry/otlp-headers.ts',
    find: '  if (!fieldValue.test(value))',
    replace: "  if (value === '')",
    tests: ['core/telemetry/otlp-headers.test.ts'],
  },
]
