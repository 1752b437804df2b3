import { spawn } from 'node:child_process'

const MAX_MS = 300_000

/** Working directory, environment and timeout of a program; default 5 minutes. */
export interface ExecOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly timeout?: number
}

/** Runs a program and returns its standard output. Throws with the end of its output if it fails. */
export async function exec(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env = {}, timeout = MAX_MS }: ExecOptions,
): Promise<string> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  })
  let [output, all] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    all += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (all += text))
  const { promise, resolve, reject } = Promise.withResolvers<number | NodeJS.Signals | null>()
  child.once('error', reject)
  child.once('close', (code, signal) => resolve(code ?? signal))
  const code = await promise
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}\n${all.trimEnd().slice(-4000)}`)
  return output
}
