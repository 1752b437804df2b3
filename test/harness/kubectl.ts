import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { findServer } from './find-server.ts'

/** Output and exit code of a kubectl command. */
export interface KubectlResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs kubectl with a kubeconfig. It never uses the user's own configuration or caches. */
export async function kubectl(kubeconfig: string, args: readonly string[], input?: string): Promise<KubectlResult> {
  const program = findServer('kubectl')
  if (program === undefined) throw new Error('kubectl not found')
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      KUBECONFIG: kubeconfig,
      KUBECACHEDIR: `${kubeconfig}.cache`,
      // It ends before a collection of garbage pays.
      GOGC: '400',
    },
    stdio: 'pipe',
  })
  // kubectl may exit before it reads its input (a usage error), which its exit code reports.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? '')
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? -1))
  })
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}
