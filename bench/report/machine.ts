import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem, type } from 'node:os'
import { findOnPath } from '#test/harness/find-on-path.ts'
import { findServer } from '#test/harness/find-server.ts'

/** Machine of a measurement; figures of different machines are not comparable. */
export interface Machine {
  readonly cores: number
  readonly model: string
  readonly memoryMiB: number
  readonly system: string
  readonly node: string
  /** Version lines of the installed servers and compilers, by name. */
  readonly versions: Readonly<Record<string, string>>
}

/** Reads this machine and the programs that benches would start. */
export function readMachine(): Machine {
  const go = findOnPath('go')
  const programs = {
    PostgreSQL: findServer('postgres'),
    NATS: findServer('nats-server'),
    'kube-apiserver': findServer('kube-apiserver'),
    etcd: findServer('etcd'),
  }
  const found = Object.entries(programs).flatMap(([name, file]) =>
    file === undefined ? [] : [[name, versionOf(file, '--version')] as const],
  )
  return {
    cores: cpus().length,
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryMiB: Math.round(totalmem() / 2 ** 20),
    system: `${type()} ${release()}`,
    node: process.version,
    versions: Object.fromEntries(go === undefined ? found : [...found, ['Go', versionOf(go, 'version')]]),
  }
}

function versionOf(program: string, flag: string): string {
  const text = execFileSync(program, [flag], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return /\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?/.exec(text)?.[0] ?? 'unknown'
}
