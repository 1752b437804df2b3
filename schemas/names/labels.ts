import { GROUP, groupKey } from './group.ts'

/** Label on everything that belongs to an agent (revisions, pods, Services) except pods of a candidate: the agent's name. */
export const AGENT_LABEL = groupKey('agent')

/**
 * Label of the workload and the pods of a revision that a gate holds: the agent's name. Such a pod has no `AGENT_LABEL`, which Services select
 * pods by.
 */
export const CANDIDATE_LABEL = groupKey('candidate-of')

/** Annotation of an agent, and of a revision that a rollback made: the number of the requested revision. */
export const ROLLBACK_ANNOTATION = groupKey('rollback-to')

/** Annotation of a fork: `namespace/name` of its origin. */
export const FORKED_FROM_ANNOTATION = groupKey('forked-from')

/** Annotation of a published template: `kind/namespace/name` of its origin. */
export const PUBLISHED_FROM_ANNOTATION = groupKey('published-from')

/** Annotation of the agent and the suite of a preview: a duration after its creation, at whose end the manager deletes it. */
export const EXPIRES_AFTER_ANNOTATION = groupKey('expires-after')

/** Annotation of a Namespace: its display name. */
export const DISPLAY_NAME_ANNOTATION = groupKey('display-name')

/** Label of an agent's pods: the first number of the revision that they run, which a rollback to it does not change. */
export const REVISION_NUMBER_LABEL = groupKey('revision-number')

/** Annotation of a revision: the numbers that it had before, as `deployment.kubernetes.io/revision-history`. */
export const REVISION_HISTORY_ANNOTATION = groupKey('revision-history')

/** Annotation of a revision: its author; an unverified author begins with `manager:`. */
export const CREATED_BY_ANNOTATION = groupKey('created-by')

/** Annotation of a revision, `"true"`: the API server or the BFF authenticated the actor in `CREATED_BY_ANNOTATION`. */
export const CREATED_BY_EXACT_ANNOTATION = groupKey('created-by-exact')

/** Annotation of a revision: `create`, or the resourceVersion of its agent; the key by which its author is looked up in the audit log. */
export const CHANGE_ANNOTATION = groupKey('change')

/** Annotation of a revision: `create`, `update` or `rollback`. */
export const SOURCE_ANNOTATION = groupKey('source')

/** Annotation of a revision: parts of the spec that differed from the previous revision at its creation. */
export const SUMMARY_ANNOTATION = groupKey('summary')

/** Annotation of a revision: the random token that authenticates the preStop hook of its pods at their launchers. */
export const HOOK_TOKEN_ANNOTATION = groupKey('hook-token')

/** Label of a Secret whose key the gateway may send to a provider: `"true"`. */
export const PROVIDER_KEY_LABEL = groupKey('provider-key')

/** Label of a Secret whose token the platform may send to an MCP server: `"true"`. */
export const MCP_CREDENTIAL_LABEL = groupKey('mcp-credential')

/** Annotation of a Secret with one of these labels: the only origin to which its content may be sent, such as `https://api.openai.com`. */
export const ORIGIN_ANNOTATION = groupKey('origin')

/** Annotation of a ModelProvider: the number of its key, raised by each rotation of the API. */
export const KEY_VERSION_ANNOTATION = groupKey('key-version')

/** Annotation of a ModelProvider: the time at which its key was pasted (RFC 3339). */
export const KEY_ROTATED_ANNOTATION = groupKey('key-rotated-at')

/** Prefix of labels of an agent's pods, one for each registry of the agent: network policies admit pods with the same label. */
export const REGISTRY_LABEL_PREFIX = `registry.${GROUP}`

/** Condition type of a pod of the embedded default: whether its agent answers on the port that was allocated to it. */
export const AGENT_LISTENS = groupKey('agent-listens')

/** Suffix of the names of Secrets that held keys of agents, `<agent>.keys.mesh.dev`: the manager deletes them, and no object may refer to one. */
export const KEYS_SECRET_SUFFIX = `.keys.${GROUP}`

/** Label and value of every object that the manager or a command of the platform creates. */
export const MANAGED_BY = { label: 'app.kubernetes.io/managed-by', value: 'mesh' } as const

/** Annotation of an agent's account, `deleted`: its Secret with keys of a former version is gone. */
export const FORMER_KEYS_ANNOTATION = groupKey('former-keys')
