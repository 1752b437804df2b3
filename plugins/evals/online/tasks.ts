import type { WorkerContext } from '#core/plugin/role-contexts.ts'
import { handleTask } from '#core/tasks/task.ts'
import type { TaskHandler } from '#core/tasks/task.ts'
import { runs } from '#plugins/runs/index.ts'
import type { EvalsServices } from '../contract/services.ts'
import { scoreRun } from './score-run.ts'
import { scoreRunTask } from './score-run-task.ts'

/** Handlers of the plugin's tasks. */
export function evalsTasks(services: EvalsServices, worker: WorkerContext): readonly TaskHandler[] {
  const { contentOf } = worker.system(runs)
  const { models } = worker
  return [handleTask(scoreRunTask, (task, context) => scoreRun({ ...services, contentOf, models }, task, context))]
}
