import { Type } from 'typebox'
import { definePlugin } from '#core/plugin/plugin.ts'
import { erasureFinished, erasureRequested } from './contract/events.ts'
import { eraser } from './contract/points.ts'
import { createServices } from './create-services.ts'
import { ERASING_JOB, eraseSubjects } from './erase-subjects.ts'
import { erasureRoutes } from './routes.ts'

const EVERY_MS = 2_000

/** Erasure of a person by one operation. Plugins with data of people contribute an eraser. */
export const erasures = definePlugin({
  contract: 1,
  name: 'erasures',
  summary: 'Erasure of the data of a person.',
  settings: Type.Object({}, { additionalProperties: false }),
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  events: [erasureRequested, erasureFinished],
  points: [eraser],
  access: [
    {
      resource: 'erasures',
      kind: 'Erasure',
      reason: 'Virtual resource: exists only in access reviews.',
      operator: ['get', 'list', 'create'],
    },
  ],
  create: createServices,
  routes: ({ store }) => erasureRoutes(store),
  jobs: (services, { role }) =>
    role === 'worker'
      ? [{ name: ERASING_JOB, leaderOnly: true, every: EVERY_MS, run: (term) => eraseSubjects(services, term) }]
      : [],
})
