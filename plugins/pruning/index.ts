import { Type } from 'typebox'
import { definePlugin } from '#core/plugin/plugin.ts'
import { pruningConsumers } from './consumers.ts'
import { pruningUnfinished } from './contract/events.ts'
import { pruner } from './contract/points.ts'

/** Removes dependents of deleted objects, by events only. */
export const pruning = definePlugin({
  contract: 1,
  name: 'pruning',
  summary: 'Removal of the data of deleted namespaces and agents.',
  settings: Type.Object({}, { additionalProperties: false }),
  requires: ['store'],
  events: [pruningUnfinished],
  points: [pruner],
  create: (core) => ({ pruners: () => core.extensions(pruner) }),
  consumers: ({ pruners }) => pruningConsumers(pruners),
})
