import { CliProblem } from '#cli/contract/cli-problem.ts'

/** Opens the listener of a flag. Throws `CliProblem` for a port that cannot be bound. */
export async function openPort<Opened>(flag: string, port: number, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall !== 'listen') throw error
    const why = code === 'EADDRINUSE' ? 'is taken by another process' : `cannot be used (${code})`
    throw new CliProblem(`port ${port} ${why}`, `Choose another with ${flag}; 0 is any free one.`)
  }
}
