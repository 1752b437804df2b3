import type { Database } from '#core/database/database.ts'
import type { Tx } from '#core/event-store/store.ts'
import { enqueueTask } from './enqueue-task.ts'
import type { Enqueued, NewTask } from './enqueue-task.ts'
import type { TaskTransaction, TaskType } from './task.ts'

/** The queue of tasks, for every role. */
export interface TaskQueue {
  /**
   * Enqueues a task in the transaction of the caller: it exists if that commits. Throws `too_many_requests` for a full queue of the
   * namespace, and `TypeError` for a payload outside schema or size.
   */
  enqueue<Payload>(
    tx: TaskTransaction & Pick<Tx, 'afterCommit'>,
    type: TaskType<Payload>,
    task: NewTask<Payload>,
  ): Promise<Enqueued>
}

/** Creates the queue of a process. */
export function createTaskQueue(database: Pick<Database, 'announce'> | undefined): TaskQueue {
  return {
    enqueue: async (tx, type, task) => {
      const enqueued = await enqueueTask(tx, type, task)
      if (!enqueued.duplicate) tx.afterCommit(() => database?.announce('enqueued'))
      return enqueued
    },
  }
}
