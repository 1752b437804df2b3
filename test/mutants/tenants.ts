import type { Mutant } from './mutant.ts'

const tenants = ['plugins/tenants/tenants.test.ts']
const membership = ['plugins/tenants/reconcile/membership.test.ts']

/** Defects of tenants: quotas that apply to the wrong namespaces, or to none. */
export const mutants: readonly Mutant[] = [
  {
    name: 'tenants: a namespace belongs to each tenant that claims it',
    file: 'plugins/tenants/reconcile/membership.ts',
    find: 'if (rival === undefined) namespaces.push(namespace)',
    replace: "if (namespace !== '') namespaces.push(namespace)",
    tests: membership,
  },
  {
    name: 'tenants: an empty selector selects every namespace',
    file: 'plugins/tenants/reconcile/membership.ts',
    find: 'wanted.length > 0 && wanted.every',
    replace: 'wanted.every',
    tests: membership,
  },
  {
    name: 'tenants: the quota of a deleted tenant stays',
    file: 'plugins/tenants/projections.ts',
    find: "event.subject.kind === 'Tenant'",
    replace: "event.subject.kind === 'none'",
    tests: tenants,
    only: 'namespaces follow names and labels',
  },
  {
    name: 'tenants: a late reconcile brings the quota of a deleted tenant back',
    file: 'plugins/tenants/projections.ts',
    find: "if (await isDeletedUnderLock(db, 'Tenant', uid)) return",
    replace: '',
    tests: tenants,
    only: 'namespaces follow names and labels',
  },
  {
    name: 'tenants: a quota of places alone limits nothing',
    file: 'plugins/tenants/store/record-quota.ts',
    find: ' || concurrency !== undefined',
    replace: '',
    tests: tenants,
    only: 'when it joins or leaves',
  },
  {
    name: 'tenants: agents keep their pods when their namespace joins',
    file: 'plugins/tenants/pod-part.ts',
    find: 'return agents.flat()',
    replace: 'return agents.flat().slice(9)',
    tests: tenants,
    only: 'when it joins or leaves',
  },
  {
    name: 'tenants: the limits of a namespace are unknown while the store is down',
    file: 'plugins/tenants/limit-source.ts',
    find: 'if (known === undefined || !isOutage(error)) throw error',
    replace: 'if (known !== undefined || !isOutage(error)) throw error',
    tests: tenants,
    only: 'while the store is down',
  },
  {
    name: 'tenants: namespaces above the bound are not reported',
    file: 'plugins/tenants/reconcile/tenant-status.ts',
    find: 'if (length > MAX_NAMESPACES) {',
    replace: 'if (length < 0) {',
    tests: tenants,
    only: 'more than 1,024 namespaces',
  },
]
