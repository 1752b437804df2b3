import type { Mutant } from './mutant.ts'

const rbac = ['local/apiserver/rbac/authorize.test.ts']
const auth = ['local/apiserver/auth/authenticate.test.ts']
const hostile = ['local/apiserver/testing/hostile.test.ts']
const rights = ['local/apiserver/testing/rights.test.ts']

/** Defects in the embedded API server, access: tokens, roles and where requests come from. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a verified token is accepted past its expiry',
    file: 'local/apiserver/auth/authenticate.ts',
    find: " || !(Number(claims['exp']) > seconds)",
    replace: '',
    tests: auth,
    only: 'until it expires',
  },
  {
    name: 'a verified token is remembered without its signature',
    file: 'local/apiserver/auth/authenticate.ts',
    find: 'const id = digest(token)',
    replace: "const id = digest(token.includes('.') ? token.slice(0, token.lastIndexOf('.')) : token)",
    tests: auth,
    only: 'forged',
  },
  {
    name: 'a verified token outlives its service account',
    file: 'local/apiserver/auth/authenticate.ts',
    find: '!account || live?.metadata.uid !== account.uid',
    replace: '!account',
    tests: auth,
    only: 'inherits no token',
  },
  {
    name: 'the token of a re-created service account is kept',
    file: 'local/apiserver/auth/token-source.ts',
    find: 'kept.uid !== uid || ',
    replace: '',
    tests: auth,
    only: 'token source',
  },
  {
    name: 'resourceNames are not looked at',
    file: 'local/apiserver/rbac/authorize.ts',
    find: '(rule.resourceNames.length === 0 || rule.resourceNames.includes(wanted.name))',
    replace: '(rule.resourceNames.length >= 0 || rule.resourceNames.includes(wanted.name))',
    tests: rbac,
  },
  {
    name: 'a subresource is granted with its resource',
    file: 'local/apiserver/rbac/authorize.ts',
    find: "(each) => each === '*' || each === combined ||",
    replace: "(each) => each === '*' || each === combined || each === wanted.resource ||",
    tests: rbac,
  },
  {
    name: 'a RoleBinding grants in every namespace',
    file: 'local/apiserver/rbac/authorize.ts',
    find: "byNamespace.set(namespace, (all = [...wide, ...resolve('rolebindings', namespace)]))",
    replace: "byNamespace.set(namespace, (all = [...wide, ...resolve('rolebindings', '')]))",
    tests: rbac,
  },
  {
    name: 'grants are computed once',
    file: 'local/apiserver/rbac/authorize.ts',
    find: 'if (current !== key) {',
    replace: "if (key === '') {",
    tests: rbac,
  },
  {
    name: 'grants of a user are those of its first groups',
    file: 'local/apiserver/rbac/authorize.ts',
    find: 'JSON.stringify([namespace, user.username, user.groups])',
    replace: 'JSON.stringify([namespace, user.username])',
    tests: rbac,
    only: 'of its own request',
  },
  {
    name: 'anybody may grant what they do not hold',
    file: 'local/apiserver/rbac/authorize.ts',
    find: '  return missing.length > 0 ? forbidden(object, grantText(user, missing)) : undefined\n',
    replace: '  return missing.length < 0 ? forbidden(object, grantText(user, missing)) : undefined\n',
    tests: rbac,
  },
  {
    name: 'any Host is served',
    file: 'local/apiserver/server.ts',
    find: 'isLoopbackAuthority(host) ? guardHost(handler) : handler',
    replace: "isLoopbackAuthority(host) && host === '' ? guardHost(handler) : handler",
    tests: hostile,
    only: 'SEC13',
  },
  {
    name: 'a host that begins like loopback is loopback',
    file: 'local/apiserver/wire/request-target.ts',
    find: '(:\\d{1,5})?$/i',
    replace: '/i',
    tests: hostile,
    only: 'SEC13',
  },
  {
    name: 'a namespace is addressed below a namespace',
    file: 'local/apiserver/wire/check-path.ts',
    find: 'if (!kind.namespaced) return !info.scoped',
    replace: "if (!kind.namespaced) return !info.scoped || kind.storeId === '/namespaces'",
    tests: rights,
    only: 'SEC10',
  },
  {
    name: 'a PUT or an apply creates without the right to',
    file: 'local/apiserver/verbs/write.ts',
    find: "  if (exchange.info.verb !== 'create') context.authorizeCreate()\n",
    replace: '',
    tests: rights,
    only: 'SEC15',
  },
]
