import type { JournalCut } from '@mesh.dev/embedded-apiserver'
import { movedLine } from './terminal/ports.ts'
import type { StartedStack } from './stack.ts'
import { tryCommands } from './terminal/try-commands.ts'

/** The line of `--output json`: the only output on stdout. */
export function toJsonLine(started: StartedStack, pid: number): string {
  const { url, kubeconfig, dataDir, gatewayUrl, adminUrl, settingsFile, journalCut, tokens } = started
  const line = { url, kubeconfig, dataDir, gatewayUrl, adminUrl, settingsFile, journalCut, tokens, pid }
  return `${JSON.stringify(line)}\n`
}

/** The announcement of a started platform, for a terminal. */
export function toText(started: StartedStack): string {
  const tried = tryCommands(started).map(({ what, command }) => `  ${what}:\n${indent(command)}\n`)
  const moved = started.moved.map((one) => `  ${movedLine(one)}\n`).join('')
  const settings = started.settingsFile === undefined ? '' : `  settings        ${started.settingsFile}\n`
  const cut = started.journalCut === undefined ? '' : `\n${cutText(started.journalCut)}\n`
  return `
mesh is running at ${started.url}/#code=${started.code}
  (the code in that URL can be used once, within ten minutes; mesh open prints another)

  API reference   ${started.url}/docs
  model gateway   ${started.gatewayUrl}/v1   (any OpenAI client)
  health          ${started.adminUrl}/readyz?verbose   (metrics: /metrics)
  kubeconfig      ${started.kubeconfig}
  tokens          ${started.tokensFile}
${settings}${moved}${cut}
${tried.join('\n')}
This is the embedded default: one process, this machine only, not for production. Agents run as you: one that is
hostile can read every token here, so the personas show what roles may do and protect nothing. Ctrl-C stops it; the data stays in ${started.dataDir}.
`
}

/** The lost part of a damaged journal, and the file that holds it. */
export function cutText({ file, kept, records, cutRecords, cutBytes }: JournalCut): string {
  const lost =
    cutRecords === 0 ? 'an incomplete record at its end' : `a damaged record and ${cutRecords} whole ones behind it`
  return `WARNING: the objects of the cluster (${file}) were damaged. ${records} records were read; ${lost} (${cutBytes} bytes)
were cut off and are kept in ${kept}. Agents and other objects may be missing or older than you left them.`
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
}
