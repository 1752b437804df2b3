import type { Mutant } from './mutant.ts'

const informers = ['core/controllers/namespaced.test.ts']
const unit = ['core/cluster/served-namespaces.test.ts']

/** Defects of an installation for selected namespaces (ADR 0039). */
export const mutants: readonly Mutant[] = [
  {
    name: 'chosen namespaces: a list of one ends what is in the others',
    file: 'core/controllers/objects/record-changes.ts',
    find: `    ? rows.where('namespace', '=', namespace)`,
    replace: '    ? rows',
    tests: informers,
    only: 'says nothing of the others',
  },
  {
    name: 'chosen namespaces: the place of one is that of all',
    file: 'core/controllers/objects/resume-version.ts',
    find: `    .where('namespace', '=', namespace)\n    .executeTakeFirst()`,
    replace: '    .executeTakeFirst()',
    tests: informers,
    only: 'lost to compaction',
  },
  {
    name: 'chosen namespaces: what was followed as a whole is not gone on from',
    file: 'core/controllers/objects/resume-version.ts',
    find: '  if (ofKind === undefined || ofNamespace === undefined) return ofNamespace?.rv ?? ofKind?.rv',
    replace: '  if (ofKind === undefined || ofNamespace === undefined) return ofNamespace?.rv',
    tests: informers,
    only: 'left off, and back',
  },
  {
    name: 'chosen namespaces: one that is missing is listed as if it were there',
    file: 'core/controllers/watch/reflector.ts',
    find: 'mayBeAbsent: options.part !== undefined && options.resource.namespaced',
    replace: 'mayBeAbsent: false',
    tests: informers,
    only: 'is waited for',
  },
  {
    name: 'chosen namespaces: one that is denied holds back the synchronisation',
    file: 'core/controllers/informer.ts',
    find: `if (state === 'denied' || state === 'unserved') first.resolve()`,
    replace: '',
    tests: informers,
    only: 'denied is reported by name',
  },
  {
    name: 'chosen namespaces: objects of one that left the list are found',
    file: 'core/cluster/observed-objects.ts',
    find: `served.has(kind === 'Namespace' ? name : namespace)`,
    replace: `served.has('')`,
    tests: informers,
    only: 'removed from the list',
  },
  {
    name: 'chosen namespaces: any namespace may be read',
    file: 'core/cluster/served-cluster.ts',
    find: '    if (namespace !== undefined && !served.has(namespace)) throw notServed(namespace)',
    replace: '',
    tests: unit,
    only: 'no request about another namespace',
  },
  {
    name: 'chosen namespaces: lists of everything have the objects of others',
    file: 'core/cluster/served-cluster.ts',
    find: 'items: page.items.filter((item) => isServed(resource, item))',
    replace: 'items: page.items',
    tests: unit,
    only: 'a list of everything',
  },
  {
    name: 'chosen namespaces: a review of a subject elsewhere is asked for',
    file: 'core/cluster/token-review.ts',
    find: 'served.has(attributes.namespace) && reviewSubject',
    replace: 'reviewSubject',
    tests: unit,
    only: 'no request about another namespace',
  },
]
