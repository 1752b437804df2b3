import type { Mutant } from './mutant.ts'

const caller = ['core/cluster/callers.test.ts']
const informer = ['core/controllers/informer.test.ts']

/** Defects in core/kube and core/cluster: names, callers, reviews, informers. */
export const mutants: readonly Mutant[] = [
  {
    name: 'names may have 254 characters',
    file: 'core/kube/names.ts',
    find: 'text.length > 253',
    replace: 'text.length > 254',
    tests: ['core/kube/url.test.ts', 'core/http/input/input.test.ts'],
    only: 'K5',
  },
  {
    name: 'the user name of a token is remembered for an hour',
    file: 'core/cluster/callers.ts',
    find: 'const USERNAME_TTL_MS = 5_000',
    replace: 'const USERNAME_TTL_MS = 3_600_000',
    tests: caller,
    only: 'D1',
  },
  {
    name: 'tokens are remembered by their beginning',
    file: 'core/cluster/token-cache.ts',
    find: '.update(token).update',
    replace: '.update(token.slice(0, 20)).update',
    tests: caller,
    only: 'D1',
  },
  {
    name: 'an allow decision is remembered',
    file: 'core/cluster/access-review.ts',
    find: '  if (!isAllowed(answer.status)) return undefined\n',
    replace: `  const allowed: Set<string> = Reflect.get(askAccess, 'allowed') ?? new Set()
  Reflect.set(askAccess, 'allowed', allowed)
  const key = JSON.stringify([username, verb, resource, namespace])
  if (isAllowed(answer.status)) allowed.add(key)
  else if (!allowed.has(key)) return undefined\n`,
    tests: caller,
    only: 'M8',
  },
  {
    name: 'a review that says nothing allows',
    file: 'core/cluster/access-review.ts',
    find: 'return status.allowed === true && status.denied !== true',
    replace: 'return status.allowed !== false && status.denied !== true',
    tests: caller,
    only: 'K3',
  },
  {
    name: 'an evaluation error is overlooked',
    file: 'core/cluster/access-review.ts',
    find: ` || (status.evaluationError ?? '') !== ''`,
    replace: '',
    tests: caller,
    only: 'K3',
  },
  {
    name: 'the reviewed namespace is not parsed',
    file: 'core/cluster/access-review.ts',
    find: `  if (namespace !== '' && !isLabel(namespace)) throw new InvalidName('namespace', 'must be an RFC 1123 label')\n`,
    replace: '',
    tests: caller,
    only: 'M4',
  },
  {
    name: 'a header of the caller is passed on',
    file: 'core/kube/request.ts',
    find: `    accept: request.accept ?? 'application/json',\n    'user-agent': userAgent,`,
    replace: `    accept: request.accept ?? 'application/json',\n    'impersonate-user': 'admin',\n    'user-agent': userAgent,`,
    tests: ['core/kube/client.test.ts'],
    only: 'K2',
  },
  {
    name: 'an empty bearer goes upstream',
    file: 'core/kube/request.ts',
    find: `if (!/^[A-Za-z0-9\\-._~+/]+=*$/.test(text))`,
    replace: `if (!/^[A-Za-z0-9\\-._~+/]*=*$/.test(text))`,
    tests: ['core/kube/client.test.ts'],
    only: 'M5',
  },
  {
    name: 'a change of status alone is a change',
    file: 'core/controllers/objects/object-fingerprint.ts',
    find: 'metadata, status: _status, ...rest } = object',
    replace: 'metadata, ...rest } = object',
    tests: informer,
    only: 'A4',
  },
  {
    name: 'changes of an object with a missed deletion are not emitted',
    file: 'core/controllers/objects/object-index.ts',
    find: 'if (indexed.deletionMissed && indexed.contentHash === UNREAD) {',
    replace: 'if (indexed.deletionMissed && indexed.contentHash !== UNREAD) {',
    tests: informer,
  },
  {
    name: 'an older version counts as news',
    file: 'core/controllers/objects/object-index.ts',
    find: 'if (final || !isNewer(observation.resourceVersion, indexed.resourceVersion)) return undefined',
    replace: 'if (final) return undefined',
    tests: informer,
    only: 'A4',
  },
  {
    name: 'versions are compared as text',
    file: 'core/kube/resource-version.ts',
    find: 'return version.length === than.length ? version > than : version.length > than.length',
    replace: 'return version > than',
    tests: informer,
    only: 'A4',
  },
  {
    name: 'a change that cannot be stored at once is given up',
    file: 'core/controllers/watch/reflector.ts',
    find: 'if (signal.aborted) throw error',
    replace: 'if (!signal.aborted) throw error',
    tests: ['core/controllers/watch/reflector.test.ts'],
    only: 'A10',
  },
  {
    name: 'a manager that starts lists what is there',
    file: 'core/controllers/watch/reflector.ts',
    find: "if (position.last !== undefined) position.reason = 'resumed'",
    replace: "if (position.last !== undefined) position.reason = 'start'",
    tests: ['core/controllers/watch/reflector.test.ts'],
    only: 'A10',
  },
  {
    name: 'a stop drops what was read',
    file: 'core/controllers/watch/reflector.ts',
    find: '  await buffer.settled()\n}',
    replace: '}',
    tests: ['core/controllers/watch/reflector.test.ts'],
    only: 'A10',
  },
  {
    name: 'an object that a list no longer has is not reported as deleted',
    file: 'core/controllers/objects/record-changes.ts',
    find: '!listed.has(row.uid) && !isNewer(row.rv, listVersion)',
    replace: '!listed.has(row.uid) && isNewer(row.rv, listVersion)',
    tests: informer,
  },
  {
    name: 'a malformed object stops the informer',
    file: 'core/controllers/objects/object-fingerprint.ts',
    find: `    return { ...identity, contentHash, actorGuess: undefined, error: 'malformed_object', audited: undefined }`,
    replace: `    throw new TypeError('malformed object')`,
    tests: informer,
  },
]
