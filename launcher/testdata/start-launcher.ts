import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LauncherConfig } from '#schemas/launcher/launcher.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startLauncher } from '../launcher.ts'
import { listenerDefinitions } from '../listener-definitions.ts'
import { readSettings } from '../settings/settings.ts'
import type { Supervision } from '../supervise/supervision.ts'
import { createLog } from '../telemetry/log.ts'

/** Options of `startTestLauncher`. */
export interface TestLauncherOptions {
  readonly config: Pick<LauncherConfig, 'name' | 'namespace' | 'uid'> & Partial<LauncherConfig>
  /** The launcher requests a certificate from the state role and requires signed runs. */
  readonly signed?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Contents of files, by the variable that names the file. */
  readonly files?: Readonly<Record<string, string>>
  readonly command?: readonly string[] | undefined
  /** Default: the agent is ready. */
  readonly supervision?: Supervision
}

const ready: Supervision = { ready: () => Promise.resolve(true), started: () => true }

/** A launcher in this process, with every listener that its settings require, on free ports; it ends with the test. */
export async function startTestLauncher(t: Scope, options: TestLauncherOptions) {
  const folder = tempFolder('launcher')
  t.after(folder.remove)
  const { config, signed = false, env = {}, files = {}, command = ['--', 'none'], supervision = ready } = options
  const mounted = Object.entries({ MESH_AGENT_CONFIG: JSON.stringify(config), ...files })
  for (const [variable, text] of mounted) writeFileSync(join(folder.path, variable), text)
  const settings = readSettings(command, {
    ...Object.fromEntries(mounted.map(([variable]) => [variable, join(folder.path, variable)])),
    ...(signed ? {} : { MESH_UNSIGNED: 'true' }),
    MESH_BIND: '127.0.0.1',
    MESH_LAUNCHER_PORT: '0',
    DELEGATE_PORT: '0',
    ...env,
  })
  const lines: Record<string, unknown>[] = []
  /** Port of each open listener, by its name. */
  const open: Record<string, number> = {}
  const note = (fields: object, msg: string): void => {
    const line = { ...fields, msg } as Record<string, unknown>
    lines.push(line)
    if (msg === 'listening') open[String(line['listener'])] = Number(line['port'])
  }
  const log = { ...createLog('error'), info: note, warn: note, error: note }
  const launcher = await startLauncher(settings, log, supervision, listenerDefinitions)
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= launcher.close())
  t.after(close)
  const spans = () => lines.flatMap((line) => (line['msg'] === 'span' ? [line['span'] as Record<string, unknown>] : []))
  return { launcher, lines, open, spans, close }
}
