import { groupKey } from './group.ts'

/** Label on everything that belongs to an agent (revisions, pods, Services): the agent's name. */
export const AGENT_LABEL = groupKey('agent')

/** Annotation with which a rollback says what it went back to: the revision's number. */
export const ROLLBACK_ANNOTATION = groupKey('rollback-to')

/** Annotation of a fork: `namespace/name` of its origin. */
export const FORKED_FROM_ANNOTATION = groupKey('forked-from')

/** Annotation of a published template: `kind/namespace/name` of its origin. */
export const PUBLISHED_FROM_ANNOTATION = groupKey('published-from')

/** Annotation that lets a revision pass a failed eval gate, with the reason. */
export const EVAL_OVERRIDE_ANNOTATION = groupKey('eval-override')

/** Annotation of a Namespace: its name for people. */
export const DISPLAY_NAME_ANNOTATION = groupKey('display-name')

/** Annotation of a revision: who made it, as far as its maker knew. */
export const CREATED_BY_ANNOTATION = groupKey('created-by')

/** Annotation of a revision: `create`, `update` or `rollback`. */
export const SOURCE_ANNOTATION = groupKey('source')

/** Label of a Secret whose key the gateway may send to a provider: `"true"`. */
export const PROVIDER_KEY_LABEL = groupKey('provider-key')

/** Annotation of such a Secret: the one origin that its key may be sent to, such as `https://api.openai.com`. */
export const ORIGIN_ANNOTATION = groupKey('origin')

/** Condition type of a pod of the embedded default: whether its agent answers on the port that was allocated to it. */
export const AGENT_LISTENS = groupKey('agent-listens')
