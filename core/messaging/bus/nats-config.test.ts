import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { connect } from '@nats-io/transport-node'
import { needs, requireServer } from '#test/harness/find-server.ts'
import { freePort } from '#test/harness/free-port.ts'
import { acceptsTcp, startProcess, untilReady } from '#test/harness/server-process.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const shipped = readFileSync(new URL('../../../deploy/nats/nats.conf', import.meta.url), 'utf8')

test(
  'A3: the NATS configuration that is shipped starts a server that syncs every publish',
  needs('nats-server'),
  async (t) => {
    const folder = tempFolder('nats-config')
    const [port, monitoring] = [await freePort(), await freePort()]
    const file = join(folder.path, 'nats.conf')
    // Only the storage folder differs; ports are set as an operator would.
    assert.ok(shipped.includes('"/data"'))
    writeFileSync(file, shipped.replace('"/data"', JSON.stringify(join(folder.path, 'data'))))
    const args = ['-c', file, '-a', '127.0.0.1', '-p', `${port}`, '-m', `${monitoring}`]
    const server = startProcess({
      program: requireServer(t, 'nats-server'),
      args,
      log: join(folder.path, 'nats.log'),
      env: { NATS_USER: 'mesh', NATS_PASSWORD: 'a-password' },
    })
    t.after(async () => {
      await server.end('SIGKILL')
      folder.remove()
    })
    await untilReady(server, () => acceptsTcp(port, '127.0.0.1'))
    const answer = await fetch(`http://127.0.0.1:${monitoring}/jsz`)
    const { config } = (await answer.json()) as { config: { sync_always?: boolean } }
    assert.equal(config.sync_always, true)
    const servers = `127.0.0.1:${port}`
    await assert.rejects(connect({ servers, reconnect: false }), /authorization/i)
    const client = await connect({ servers, user: 'mesh', pass: 'a-password' })
    await client.close()
  },
)
