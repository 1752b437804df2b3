import type { Mutant } from './mutant.ts'

const roles = ['core/cluster/roles/policy-rules.test.ts']
const access = ['core/plugin/access-of-plugins.test.ts']
const manifests = ['core/host/commands/manifests-command.test.ts']

/** Defects of kinds and rights that plugins declare (ADR 0058), and of watches that are denied (CON4). */
export const mutants: readonly Mutant[] = [
  {
    name: 'kinds: a computed message of a rule is relayed',
    file: 'core/kube/status.ts',
    find: '  if (rules?.computed === true) return kind\n',
    replace: '',
    tests: ['core/http/resource/declared-rules.test.ts'],
    only: 'R2-C5',
  },
  {
    name: 'kinds: the check is not asked before a create',
    file: 'core/http/resource/resource-routes.ts',
    find: "      await check?.(call.caller, { namespace: object.metadata.namespace ?? '', spec: object.spec }, call.signal)\n",
    replace: '',
    tests: ['core/http/resource/declared-rules.test.ts'],
    only: 'R2-C10',
  },
  {
    name: 'kinds: a persona has only its own rules',
    file: 'core/cluster/roles/policy-rules.ts',
    find: 'personaRoles.slice(0, persona + 1)',
    replace: 'personaRoles.slice(persona, persona + 1)',
    tests: roles,
    only: 'what the weaker ones have',
  },
  {
    name: 'kinds: the role of a plugin is not aggregated',
    file: 'core/cluster/roles/role-objects.ts',
    find: 'own.map((persona) => labelled(persona, role))',
    replace: 'own',
    tests: roles,
    only: 'aggregated into the shipped personas',
  },
  {
    name: 'kinds: the rights of the manager do not follow from informers',
    file: 'core/plugin/access-of-plugins.ts',
    find: '...access, ...informersOf(plugin).map(accessOfInformer)]',
    replace: '...access]',
    tests: access,
    only: 'CON4',
  },
  {
    name: 'kinds: a third party may have a kind of our group',
    file: 'core/host/third-party/check-slots.ts',
    find: '    if (!isGroup(group) || isReserved(group))',
    replace: '    if (!isGroup(group))',
    tests: manifests,
    only: 'names the argument, the plugin or the file',
  },
  {
    name: 'kinds: a third party may grant a star',
    file: 'core/host/third-party/check-slots.ts',
    find: 'accessVerbs.some((known) => known === verb)',
    replace: "typeof verb === 'string'",
    tests: manifests,
    only: 'names the argument, the plugin or the file',
  },
  {
    name: 'kinds: two plugins may have one kind',
    file: 'core/host/load/check-kinds.ts',
    find: '        if (other !== undefined)',
    replace: '        if (other === plugin)',
    tests: ['core/host/load/check-kinds.test.ts'],
    only: 'two plugins',
  },
  {
    name: 'CON4: a missing CRD holds back the start',
    file: 'core/controllers/informer.ts',
    find: "if (state === 'denied' || state === 'unserved') first.resolve()",
    replace: "if (state === 'denied') first.resolve()",
    tests: ['core/controllers/denied-watches.test.ts'],
    only: 'without its CRD',
  },
  {
    name: 'CON4: a denied watch does not name the account',
    file: 'core/controllers/watch/watch-states.ts',
    find: '...(account === undefined ? {} : { account })',
    replace: '',
    tests: ['core/controllers/denied-watches.test.ts'],
    only: 'a 403 of an informer',
  },
  {
    name: 'CON12: a denied request has the plural of its resource',
    file: 'core/http/endpoint/resource-names.ts',
    find: 'find(resource)?.kind ?? resource',
    replace: 'resource',
    tests: access,
    only: 'CON12',
  },
  {
    name: 'kinds: create takes a reserved name',
    file: 'core/http/resource/resource-routes.ts',
    find: 'if (reserved.includes(name))',
    replace: "if (name === '..')",
    tests: ['core/http/resource/resource-routes.test.ts'],
    only: 'reserved',
  },
  {
    name: 'kinds: a namespace in the query is ignored',
    file: 'core/http/resource/resource-routes.ts',
    find: "namespace === '' ? 'default' : namespace",
    replace: "'default'",
    tests: ['core/http/resource/resource-routes.test.ts'],
    only: 'namespace of an object in the query',
  },
]
