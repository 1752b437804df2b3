/** Verbs of a rule. `*` and `deletecollection` are never granted (K6). */
export const accessVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const

/**
 * Verbs of access reviews only: no request to the API server has them. `promote` moves a protected label, `override` lets a revision pass its gate.
 */
export const reviewedVerbs = ['promote', 'approve', 'publish', 'override'] as const

/** A verb of a rule. */
export type Verb = (typeof accessVerbs)[number] | (typeof reviewedVerbs)[number]

/** Roles of users, weakest first; each includes the rights of the weaker ones. */
export const personaRoles = ['viewer', 'developer', 'operator'] as const

/** Roles with their own service account. The BFF has none: it acts as its callers. */
export const accountRoles = ['manager', 'gateway', 'state', 'worker'] as const

/** A role to which a rule may grant verbs. */
export type GrantedRole = (typeof personaRoles)[number] | (typeof accountRoles)[number]

/** Verbs that a plugin needs on a resource, by role. The shipped ClusterRoles are generated from the rules of all plugins. */
export interface AccessRule extends Readonly<Partial<Record<GrantedRole, readonly Verb[]>>> {
  /** Default: our group; '' is the core group. */
  readonly group?: string
  /** Plural, with the subresource if there is one: `pods/log`. */
  readonly resource: string
  /** Cluster: objects of the resource have no namespace. Default: they have one. */
  readonly scope?: 'Cluster'
  /** For watches: stays cluster-wide where the other rights of an account are bound per namespace (deploy/components/namespaced-writes). */
  readonly clusterWide?: true
  /** Kind of a resource that exists in access reviews only (`Run`), for audit rows and messages. */
  readonly kind?: string
  /** Comment in the generated role. */
  readonly reason?: string
}

/** Verbs of readers. */
export const readVerbs: readonly Verb[] = ['get', 'list', 'watch']

/** Verbs of writers beyond those of readers. */
export const writeVerbs: readonly Verb[] = ['create', 'update', 'patch', 'delete']

/** Verbs on a status that a controller writes. */
export const statusVerbs: readonly Verb[] = ['get', 'update', 'patch']

/** Rights of core itself: the roles that authenticate bearers and review stored subjects. */
export const coreAccess: readonly AccessRule[] = [
  {
    group: 'authentication.k8s.io',
    resource: 'tokenreviews',
    scope: 'Cluster',
    gateway: ['create'],
    state: ['create'],
  },
  {
    group: 'authorization.k8s.io',
    resource: 'subjectaccessreviews',
    scope: 'Cluster',
    state: ['create'],
    manager: ['create'],
  },
]
