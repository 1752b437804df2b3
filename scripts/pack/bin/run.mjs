// Started by `start.mjs` on another Node.js; exits when its parent has exited for any reason.
const [module, ...args] = process.argv.slice(2)
const { main } = await import(module)

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
process.exit(await main(args))
