/// The command `tutti`, its subcommands, their options and what they answer to wrong words.
package org.tutti.e2e.command;
