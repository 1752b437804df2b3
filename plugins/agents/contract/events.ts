import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'

const revision = Type.String({ description: 'Name of the revision.' })
const reason = Type.String({ description: 'Reason of the condition, such as OOMKilled.' })

const deployed = Type.Object({ revision })
const held = Type.Object({
  revision,
  plugin: Type.String({ description: 'Plugin whose gate holds it back.' }),
  condition: Type.String({ description: 'Type of the condition.' }),
  reason,
  candidate: Type.Boolean({ description: 'Whether it runs meanwhile, without traffic.' }),
})
const ready = Type.Object({ revision })
const degraded = Type.Object({
  reason,
  serving: Type.Optional(Type.String({ description: 'Revision that serves; absent if none does.' })),
})

/** A revision is rolled out: all its pods are ready. */
export const revisionDeployed: EventType<Static<typeof deployed>> = defineEvent({
  plugin: 'agents',
  fact: 'revision-deployed',
  summary: 'A revision of an agent is rolled out.',
  data: deployed,
  audit: { action: 'deploy', resourceKind: 'AgentDeployment' },
})

/** A gate holds a revision back. */
export const revisionHeld: EventType<Static<typeof held>> = defineEvent({
  plugin: 'agents',
  fact: 'revision-held',
  summary: 'A gate holds a revision of an agent back.',
  data: held,
  audit: { action: 'hold', resourceKind: 'AgentDeployment' },
})

/** The condition `Ready` became true. */
export const agentReady: EventType<Static<typeof ready>> = defineEvent({
  plugin: 'agents',
  fact: 'ready',
  summary: 'An agent takes runs.',
  data: ready,
})

/** The condition `Degraded` became true. */
export const agentDegraded: EventType<Static<typeof degraded>> = defineEvent({
  plugin: 'agents',
  fact: 'degraded',
  summary: 'The newest revision of an agent does not become ready.',
  data: degraded,
})

/** Events of agents that the manager publishes. */
export const agentEvents: readonly EventType[] = [revisionDeployed, revisionHeld, agentReady, agentDegraded]
