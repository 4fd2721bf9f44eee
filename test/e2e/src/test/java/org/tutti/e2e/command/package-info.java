/// Tests the `tutti` command: subcommands, options, and messages for invalid arguments.
package org.tutti.e2e.command;
