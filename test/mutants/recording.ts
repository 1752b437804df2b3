import type { Mutant } from './mutant.ts'

const launcher = ['launcher/recording/recording.test.ts', 'launcher/recording/recorder.test.ts']
const role = ['plugins/recording/state-routes.test.ts']
const pure = ['core/fixture/fixture.test.ts']

/** Defects of recordings: secrets, gaps, bounds, rights, and the object store. */
export const mutants: readonly Mutant[] = [
  {
    name: 'recording: secrets of known shapes stay',
    file: 'core/fixture/redact-values.ts',
    find: "const rules = [{ ...mask, name: 'secrets', secrets: {} }, ...personal, ...own]",
    replace: 'const rules = [...personal, ...own]',
    tests: launcher,
    only: 'both channels',
  },
  {
    name: 'recording: fields that name a credential stay',
    file: 'core/fixture/redact-values.ts',
    find: "return typeof value === 'string' && SECRET_FIELD.test(field)",
    replace: 'return false',
    tests: launcher,
    only: 'both channels',
  },
  {
    name: 'recording: events of a stream are searched one by one',
    file: 'launcher/recording/to-part.ts',
    find: 'const body = end.stream ? await assembleAnswer(operation, end.bytes) : parseAnswer(end.bytes)',
    replace: 'const body = end.stream ? { events: end.bytes.toString() } : parseAnswer(end.bytes)',
    tests: launcher,
    only: 'both channels',
  },
  {
    name: 'recording: the memory of the recorder has no bound',
    file: 'launcher/recording/recorder.ts',
    find: 'if (held + bytes > maxBytes) return false',
    replace: '',
    tests: launcher,
    only: 'above its memory',
  },
  {
    name: 'recording: the memory of a part is never free again',
    file: 'launcher/recording/recorder.ts',
    find: 'held -= size.bytes',
    replace: '',
    tests: launcher,
    only: 'free again',
  },
  {
    name: 'recording: a refused run is sent on',
    file: 'launcher/recording/recorder.ts',
    find: "if (outcome === 'refused') attempt.full = true",
    replace: '',
    tests: launcher,
    only: 'tried twice',
  },
  {
    name: 'recording: a dropped call leaves no gap',
    file: 'launcher/recording/recorder.ts',
    find: 'const ordinal = ++attempt.calls[call.channel]',
    replace: 'const ordinal = hold(requestBytes) ? ++attempt.calls[call.channel] : 1',
    tests: launcher,
    only: 'above its memory',
  },
  {
    name: 'recording: an agent records runs of others',
    file: 'plugins/recording/state-routes.ts',
    find: 'const run = observed && (await system.runOf(observed.uid, { runId: part.runId }))',
    replace:
      "const run = observed && { id: part.runId, namespace: observed.namespace as never, namespaceUid: 'ns-uid', agent: null, traceId: '' }",
    tests: role,
  },
  {
    name: 'recording: the state role does not review the reader',
    file: 'plugins/recording/state-routes.ts',
    find: 'await reviewFixture(caller, params.id)',
    replace: 'void reviewFixture',
    tests: role,
  },
  {
    name: 'recording: a namespace has no bound of bytes',
    file: 'plugins/recording/store-part.ts',
    find: 'if (ofNamespace > bytesPerNamespace)',
    replace: 'if (ofNamespace < 0)',
    tests: role,
  },
  {
    name: 'recording: a part that was not stored stays counted',
    file: 'plugins/recording/store-part.ts',
    find: 'await store.transact((tx) => removePart(tx.tables<RecordingTables>(), run, bytes.length))',
    replace: '',
    tests: role,
  },
  {
    name: 'recording: a removed run is recorded on',
    file: 'plugins/recording/store/sizes.ts',
    find: '      where r.erase_at is null\n',
    replace: '',
    tests: role,
  },
  {
    name: 'fixture: a missing part is no gap',
    file: 'core/fixture/merge.ts',
    find: 'const last = Math.max(end?.calls[channel] ?? 0, greatest(seen[channel]))',
    replace: 'const last = greatest(seen[channel])',
    tests: pure,
  },
  {
    name: 'fixture: another order of calls is no divergence',
    file: 'core/fixture/match.ts',
    find: "divergence: earlier ? { kind: 'reordered', ...of } : undefined",
    replace: 'divergence: undefined',
    tests: pure,
  },
  {
    name: 'fixture: equal requests are taken from any span',
    file: 'core/fixture/match.ts',
    find: '(one) => one.call.hash === hash && below(one),',
    replace: '(one) => one.call.hash === hash,',
    tests: pure,
  },
  {
    name: 'objects: keys may leave their folder',
    file: 'core/objects/object-key.ts',
    find: 'segments.every((segment) => SEGMENT.test(segment))',
    replace: 'segments.every((segment) => segment.length < 200)',
    tests: ['core/objects/object-store.test.ts'],
    only: 'plain segments',
  },
  {
    name: 'objects: an object of any size is read',
    file: 'core/objects/s3-store.ts',
    find: 'if (size > maxBytes) throw tooLarge(maxBytes)',
    replace: '',
    tests: ['core/objects/object-store.test.ts'],
    only: 'an answer without end',
  },
]
