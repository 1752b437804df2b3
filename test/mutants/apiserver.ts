import type { Mutant } from './mutant.ts'

const rbac = ['local/apiserver/rbac/authorize.test.ts']
const differential = ['test/contract/apiserver/differential.test.ts']
const server = ['local/apiserver/server.test.ts']

/** Defects in the embedded API server: who may, which version, what lasts. */
export const mutants: readonly Mutant[] = [
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
    find: 'if (current !== key) byNamespace.clear()',
    replace: "if (key === '') byNamespace.clear()",
    tests: rbac,
  },
  {
    name: 'anybody may grant what they do not hold',
    file: 'local/apiserver/rbac/authorize.ts',
    find: '  return missing.length > 0 ? forbidden(object, grantText(user, missing)) : undefined\n',
    replace: '  return missing.length < 0 ? forbidden(object, grantText(user, missing)) : undefined\n',
    tests: rbac,
  },
  {
    name: 'an old version may be written',
    file: 'local/apiserver/http/preconditions.ts',
    find: '    throw conflict(kind, old.metadata.name, MODIFIED)\n',
    replace: '    if (resourceVersion.length > 15) throw conflict(kind, old.metadata.name, MODIFIED)\n',
    tests: differential,
  },
  {
    name: 'a dry run is written',
    file: 'local/apiserver/http/write.ts',
    find: '  if (options.dryRun) return { code: 200,',
    replace: '  if (options.dryRun && kind.custom) return { code: 200,',
    tests: differential,
  },
  {
    name: 'a page is not of one snapshot',
    file: 'local/apiserver/storage/store.ts',
    find: 'if (!change || change.rv <= rv) break',
    replace: 'if (!change || change.rv > 0) break',
    tests: ['local/apiserver/storage/store.test.ts', ...server],
  },
  {
    name: 'an answer to an update does not wait for the disk',
    file: 'local/apiserver/http/write.ts',
    find: '  await written?.durable\n',
    replace: '',
    tests: ['local/apiserver/durable.test.ts'],
  },
  {
    name: 'an answer to a create does not wait for the disk',
    file: 'local/apiserver/http/write.ts',
    find: '  await written.durable\n',
    replace: '',
    tests: ['local/apiserver/durable.test.ts'],
  },
  {
    name: 'an answer to a delete does not wait for the disk',
    file: 'local/apiserver/http/delete.ts',
    find: '  await done.durable\n',
    replace: '',
    tests: ['local/apiserver/durable.test.ts'],
  },
  {
    name: 'a read shows what is not on the disk',
    file: 'local/apiserver/http/resources.ts',
    find: "info.verb === 'list') {\n    await services.store.settled()\n",
    replace: "info.verb === 'list') {\n",
    tests: ['local/apiserver/durable.test.ts'],
  },
  {
    name: 'a watch misses what it should replay',
    file: 'local/apiserver/storage/store.ts',
    find: 'history.findLastIndex((change) => change.rv <= rv) + 1',
    replace: 'history.findLastIndex((change) => change.rv <= rv) + 2',
    tests: differential,
  },
]
