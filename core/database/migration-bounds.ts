import type { KyselyPlugin, Transaction } from 'kysely'
import { within } from '#core/async/within.ts'
import type { Migration } from './migration.ts'

/** Loads the file of a migration; a module may await at its top. */
export function importWithin(seconds: number, name: string, source: string, url: URL): Promise<unknown> {
  const late = (): Error => new Error(lateText(source, name, `import did not end within ${seconds} s`))
  return within(seconds * 1_000, import(url.href) as Promise<unknown>, late)
}

/**
 * Runs the code of a migration. Its statements may take any time; between and after them it has `seconds`. A statement that fails ends the
 * transaction, so the time after one is not bounded here.
 */
export async function upWithin(
  seconds: number,
  { source, name, up }: Migration,
  tx: Transaction<unknown>,
): Promise<void> {
  const idle = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  let statements = 0
  const arm = (): void => {
    const late = (): void =>
      idle.reject(new Error(lateText(source, name, `up did not end within ${seconds} s of its last statement`)))
    timer = setTimeout(late, seconds * 1_000)
  }
  const watched: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements++
      clearTimeout(timer)
      return node
    },
    transformResult: async ({ result }) => {
      statements--
      if (statements === 0) arm()
      return result
    },
  }
  arm()
  try {
    await Promise.race([up(tx.withPlugin(watched)), idle.promise])
  } finally {
    clearTimeout(timer)
  }
}

function lateText(source: string, name: string, what: string): string {
  return `plugin ${source}: migration ${name}: ${what} (the setting pluginHooks.startSeconds)`
}
