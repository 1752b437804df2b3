/** Roles of a process; `all` runs each role in its own container. */
export type Role = 'bff' | 'worker' | 'manager' | 'gateway' | 'state' | 'migrate'

/** Installation profile. It only selects defaults of settings. */
export type Profile = 'open' | 'hardened'
