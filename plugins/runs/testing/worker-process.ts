// A worker in a separate process, to be killed: `worker-process.ts <database url> <launcher url> [instant [settings]]`. It kills itself at an
// instant of its first invocation: `started` before it, `sent` during it, `answered` after it.
import { openDatabase } from '#core/database/database.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { LauncherClient } from '../worker/connections/launcher-client.ts'
import type { Launchers } from '../worker/connections/choose-launcher.ts'
import { createWorld, workerServices, startWorker } from './world.ts'

const [url = '', origin = '', instant, settings = '{}'] = process.argv.slice(2)
const world = createWorld(await openDatabase({ url }), undefined, JSON.parse(settings) as object)
const services = workerServices(world, () => origin)
startWorker({ ...services, launchersOf: (...run) => mortals(services.launchersOf(...run)) }, uuidV7())
process.stdout.write('ready\n')

function mortals(launchers: Launchers): Launchers {
  const next = async (): Promise<LauncherClient | undefined> => {
    const launcher = await launchers.next()
    return launcher && mortal(launcher)
  }
  return { ...launchers, next }
}

function mortal(launcher: LauncherClient): LauncherClient {
  if (instant === undefined || instant === '') return launcher
  return {
    ...launcher,
    invoke: async (...sent) => {
      if (instant === 'started') die()
      const answer = launcher.invoke(...sent)
      if (instant === 'sent') setTimeout(die, Math.random() * 4)
      await answer
      return die()
    },
  }
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('unreachable: the kernel was quicker')
}
