// Started by `mesh.mjs` on another Node.js; exits when its parent has exited for any reason.
import { main } from '../main.js'

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
process.exit(await main(process.argv.slice(2)))
