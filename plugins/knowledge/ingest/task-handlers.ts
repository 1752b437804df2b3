import type { WorkerContext } from '#core/plugin/role-contexts.ts'
import { handleTask } from '#core/tasks/task.ts'
import type { TaskHandler } from '#core/tasks/task.ts'
import { refreshBase } from './refresh-base.ts'
import { runIngest } from './run-ingest.ts'
import { ingestTask, refreshTask } from './tasks.ts'
import type { KnowledgeServices } from '../services/create-services.ts'

/** Handlers of the plugin's tasks. */
export function knowledgeTasks(services: KnowledgeServices, { embeddings }: WorkerContext): readonly TaskHandler[] {
  return [
    handleTask(ingestTask, (task, context) => runIngest(services, { task, context })),
    handleTask(refreshTask, (task, context) => refreshBase({ ...services, embeddings }, { task, context })),
  ]
}
