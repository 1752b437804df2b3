import type { Mutant } from './mutant.ts'

const guard = ['core/http-client/guard.test.ts']
const keys = ['plugins/providers/gateway/route/provider-key.test.ts']
const signing = ['core/signing/signing.test.ts']
const outbound = ['core/http-client/outbound.test.ts']

/** Defects of guarded outbound calls, of keys bound to an origin, and of signing keys. */
export const mutants: readonly Mutant[] = [
  {
    name: 'outbound: a metadata address is called when the setting lists it',
    file: 'core/http-client/guard.ts',
    find: "access === 'public' || (access === 'restricted' && allowed)",
    replace: "access === 'public' || allowed",
    tests: guard,
  },
  {
    name: 'outbound: the address inside a translated one is not looked at',
    file: 'core/http-client/addresses.ts',
    find: ' ?? (inner === undefined ? undefined : labelIn(forbidden, inner))',
    replace: '',
    tests: guard,
  },
  {
    name: 'outbound: one good address of a name is enough',
    file: 'core/http-client/guard.ts',
    find: 'return addresses.map(({ address }) => {',
    replace: 'return addresses.slice(0, 1).map(({ address }) => {',
    tests: guard,
  },
  {
    name: "outbound: the platform's own listeners are compared by name only",
    file: 'core/http-client/guard.ts',
    find: ' || isThisMachine(address)',
    replace: '',
    tests: guard,
  },
  {
    name: 'outbound: http to a public host needs no setting',
    file: 'core/http-client/guard.ts',
    find: "if (url.protocol === 'http:' && !allowed)",
    replace: "if (url.protocol === 'gopher:' && !allowed)",
    tests: guard,
  },
  {
    name: 'outbound: literal addresses are not checked, since sockets do not look them up',
    file: 'core/http-client/outbound.ts',
    find: "if (isIP(request.hostname.replace(/^\\[|\\]$/g, '')) === 0) return connect(request, callback)",
    replace: 'if (request.hostname.length > 0) return connect(request, callback)',
    tests: outbound,
  },
  {
    name: 'outbound: the socket resolves the name again',
    file: 'core/http-client/outbound.ts',
    find: 'callback(null, [...addresses])',
    replace: "callback(null, [{ address: '127.0.0.1', family: 4 }])",
    tests: outbound,
  },
  {
    name: 'outbound: a redirect takes credentials to another origin',
    file: 'core/http-client/outbound-request.ts',
    find: 'if (next.origin !== url.origin) headers = withoutCredentials(headers)',
    replace: 'headers = { ...headers }',
    tests: outbound,
  },
  {
    name: 'provider key: the annotation of the Secret is not compared with the address',
    file: 'plugins/providers/upstream/key-binding.ts',
    find: 'if (origin === undefined || URL.parse(bound)?.origin !== origin)',
    replace: 'if (origin === undefined)',
    tests: keys,
    only: 'B7: origins are compared',
  },
  {
    name: 'provider key: any Secret of the namespace is read',
    file: 'plugins/providers/upstream/key-binding.ts',
    find: "metadata.labels?.[PROVIDER_KEY_LABEL] !== 'true'",
    replace: 'metadata.labels === null',
    tests: keys,
    only: 'only a labelled Secret',
  },
  {
    name: 'signing keys: the newest key signs before it was published',
    file: 'core/signing/create-keyring.ts',
    find: 'const key = own.at(-2) ?? own.at(-1)',
    replace: 'const key = own.at(-1)',
    tests: signing,
  },
  {
    name: 'signing keys: a key is removed as soon as it no longer signs',
    file: 'core/signing/rotation.ts',
    find: 'now.getTime() - createdAt(successor) > KEEP_MS',
    replace: 'now.getTime() > createdAt(successor)',
    tests: signing,
  },
  {
    name: 'signing keys: every call of rotate makes a key',
    file: 'core/signing/rotation.ts',
    find: 'now.getTime() - createdAt(newest) >= LEAST_PAUSE_MS',
    replace: 'now.getTime() >= createdAt(newest)',
    tests: signing,
  },
  {
    name: 'signing keys: a process keeps the keys of its start',
    file: 'core/signing/create-keyring.ts',
    find: 'if (clock() - readAt < olderThanMs) return keys',
    replace: 'if (clock() >= 0) return keys',
    tests: signing,
  },
  {
    name: 'signing keys: init makes new keys each time',
    file: 'core/signing/rotation.ts',
    find: 'filesOf(files, name).length === 0',
    replace: 'filesOf(files, name).length >= 0',
    tests: ['core/host/commands/keys-command.test.ts'],
    only: 'a folder takes the place',
  },
]
