// Started by `start.mjs` on another Node.js; exits when its parent has exited for any reason.
import { loadMain } from './load-main.mjs'

const [module, ...args] = process.argv.slice(2)
const main = await loadMain(module)

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
process.exit(await main(args))
