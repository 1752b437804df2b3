import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '#test/harness/free-port.ts'
import { mainProgram } from '#test/harness/program.ts'
import { spawnFlags } from '#test/harness/spawn-flags.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startAll } from '../flows/platform/embedded.ts'
import { needsChromium, openBrowser } from './browser-session.ts'
import type { BrowserPage } from './browser-session.ts'

const run = promisify(execFile)

const auditStatus = `fetch('/api/audit?limit=1').then(({ status }) => status)`
const account = 'aside [aria-haspopup="menu"]'

// The entries of the menu are in the page while it is open.
async function pick(page: BrowserPage, words: string): Promise<void> {
  await page.click(account)
  await page.until(new RegExp(words))
  const entries = `[...document.querySelectorAll('[role^="menuitem"]')]`
  await page.evaluate(`${entries}.find(({ textContent }) => textContent === ${JSON.stringify(words)}).click()`)
}

async function untilUser(page: BrowserPage, name: string): Promise<void> {
  await page.until(shell)
  for (let shown: unknown; shown !== name; await pause(50))
    shown = await page.evaluate(`document.querySelector('${account} b')?.textContent`)
}

const shell = /Search or jump to/

test(
  'UX-13, D4: a browser signs in, reloads, outlives a restart, is denied as viewer, and signs out everywhere',
  needsChromium,
  async (t) => {
    const folder = tempFolder('sign-in')
    t.after(folder.remove)
    const data = join(folder.path, 'data')
    const flags = ['--no-demo', '--port', String(await freePort())]
    const first = await startAll(t, data, { flags })
    const { url, tokens } = first.ready
    const open = async (): Promise<string> => {
      const { stdout } = await run(process.execPath, [...spawnFlags, mainProgram, 'open', '--data', data])
      return stdout.trim()
    }
    const address = await open()
    assert.match(address, new RegExp(`^${url}/#code=[\\w-]{32}$`))
    const code = address.split('#')[1] ?? ''

    const page = await openBrowser(t)
    await page.open(address)
    await page.until(shell)
    assert.equal(await page.evaluate('location.href'), `${url}/`, 'the code is not in the address')
    // A used code in the address of another page.
    await page.open(`${url}/feedback#${code}`)
    await page.until(shell)
    assert.equal(await page.evaluate('location.href'), `${url}/feedback`)
    await page.evaluate('location.reload()')
    await page.until(shell)

    await first.server.end('SIGTERM')
    const second = await startAll(t, data, { flags })
    assert.equal(second.ready.url, url)
    await page.open(`${url}/`)
    await page.until(/admin/)
    assert.equal(await page.evaluate(auditStatus), 200)

    await pick(page, 'viewer')
    await untilUser(page, 'viewer')
    assert.equal(await page.evaluate(auditStatus), 403)
    await pick(page, 'admin')
    await untilUser(page, 'admin')
    assert.equal(await page.evaluate(auditStatus), 200)

    const other = await openBrowser(t)
    await other.open(await open())
    await other.until(shell)
    await pick(page, 'Sign out everywhere')
    await page.until(/Sign in to/)
    assert.equal(await page.evaluate(auditStatus), 401)
    assert.equal(await other.evaluate(auditStatus), 401)
    // Home asks by itself; what was open stays behind the dialog.
    await other.until(/You have signed out\./)
    await other.submit('#token', tokens.developer)
    await untilUser(other, 'developer')

    for (const one of [page, other]) {
      const kept = String(
        await one.evaluate('document.cookie + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'),
      )
      for (const secret of [...Object.values(tokens), code, 'mesh-session']) assert.ok(!kept.includes(secret), kept)
      // What is loaded ahead may meet the restart.
      assert.deepEqual(
        one.problems.filter((text) => !/40[134]|503|CONNECTION_RE(?:FUSED|SET)|SOCKET_NOT_CONNECTED/.test(text)),
        [],
      )
    }
    const log = [first, second].map((one) => readFileSync(one.log, 'utf8').replace(/^\{"url".*$/m, '')).join('')
    for (const secret of [...Object.values(tokens), code]) assert.ok(!log.includes(secret), 'no token in the log')
  },
)
