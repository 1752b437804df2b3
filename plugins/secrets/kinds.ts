import { statusVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { crud } from '#core/plugin/crud.ts'
import { SecretBinding } from '#schemas/crds/secret-binding.ts'

/** Secret bindings, with CRUD routes. */
export const secretBindingKind = crud(SecretBinding, {
  verbs: ['list', 'create', 'get', 'update', 'delete'],
  sample: { secretRef: { name: 'crm' }, description: 'Access to the CRM.', env: [{ name: 'CRM_TOKEN', key: 'token' }] },
})

/** Rights of the manager. */
export const secretsAccess: readonly AccessRule[] = [
  { resource: 'secretbindings/status', reason: 'Conditions of secret bindings.', manager: statusVerbs },
  {
    group: '',
    resource: 'secrets',
    reason: 'Labels and keys of bound Secrets, by name only.',
    manager: ['get'],
  },
]
