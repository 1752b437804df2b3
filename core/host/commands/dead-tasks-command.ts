import { BadArguments } from '#core/command-line/option.ts'
import { listDeadTasks, retryDeadTasks } from '#core/tasks/dead-tasks.ts'
import type { DeadTask } from '#core/tasks/dead-tasks.ts'
import { exitCodes } from '../process/run-process.ts'
import type { CoreCommandInput } from './core-command.ts'

interface DeadTaskOptions {
  readonly task: string | undefined
  readonly namespace: string | undefined
  readonly output: 'text' | 'json'
}

/** `mesh worker dead-tasks list`. */
export async function printDeadTasks({
  values: { task, namespace, limit, output },
  out,
  openDatabase,
}: CoreCommandInput<DeadTaskOptions & { readonly limit: number }>): Promise<number> {
  const found = await listDeadTasks(await openDatabase(), { type: task, namespace, limit })
  const items = found.map(({ type, deadAt, ...one }) => ({ ...one, task: type, deadAt: deadAt.toISOString() }))
  out(output === 'json' ? `${JSON.stringify({ items })}\n` : toText(found))
  return exitCodes.ok
}

/** `mesh worker dead-tasks retry`. */
export async function retryTasks({
  values: { id: ids, task, namespace, output },
  out,
  err,
  openDatabase,
}: CoreCommandInput<DeadTaskOptions & { readonly id: readonly string[] }>): Promise<number> {
  if (ids.length === 0 && task === undefined) throw new BadArguments('an ID or --task is required')
  for (const id of ids)
    if (!/^[1-9]\d{0,17}$/.test(id)) throw new BadArguments(`"${id.slice(0, 40)}" is not the id of a task`)
  const retried = await retryDeadTasks(await openDatabase(), {
    type: task,
    namespace,
    ...(ids.length === 0 ? {} : { ids }),
  })
  out(output === 'json' ? `${JSON.stringify({ retried })}\n` : `retried: ${retried}\n`)
  if (retried >= new Set(ids).size) return exitCodes.ok
  err('mesh: some ids are not dead tasks; `mesh worker dead-tasks list` shows them\n')
  return exitCodes.failed
}

function toText(found: readonly DeadTask[]): string {
  if (found.length === 0) return 'no dead tasks\n'
  const rows = found.map(({ id, type, namespace, deadAt, attempts, error }) =>
    [id, type, namespace === '' ? '-' : namespace, deadAt.toISOString(), `${attempts} attempts`, error].join('  '),
  )
  return rows.map((row) => `${row}\n`).join('')
}
