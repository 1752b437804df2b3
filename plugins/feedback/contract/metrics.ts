import { defineCounter } from '#core/telemetry/metrics.ts'

/** Scores of runs. */
export const feedbackMetrics = {
  recorded: defineCounter({
    name: 'mesh_feedback_scores_total',
    help: 'Scores by source (agent, person) and outcome (recorded, repeated, refused).',
    labels: ['source', 'outcome'],
    roles: ['bff', 'state'],
  }),
  removed: defineCounter({
    name: 'mesh_feedback_scores_removed_total',
    help: 'Scores that were removed with their runs, or with the data of their authors.',
    labels: [],
    roles: ['worker'],
  }),
}
