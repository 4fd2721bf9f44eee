;; Clojure: a number, and persistent collections in messages. LIBRARIES is the class path of docs/languages.md.
;;
;;     ./tutti run -n 3 -cp "$LIBRARIES" clojure.main examples/jvm/maps.clj
;;
;;     sum 3
;;     3 maps, of ranks [0 1 2]

(import '(org.tutti.mpi Mpi Op))

(with-open [mpi (Mpi/init)]
  (let [world (.world mpi)
        me (.rank world)
        sum (.allreduce world (int me) Op/SUM)]         ; (int …): a number of Clojure is a long
    (when (zero? me) (println "sum" sum))
    (let [settings (.bcastObject world (when (zero? me) {"scale" 2 "names" ["a" "b"]}) 0)
          mine {"rank" me "scaled" (* me (get settings "scale"))}
          all (.gatherObject world mine 0)]             ; nil except on rank 0
      (when all
        (println (count all) "maps, of ranks" (mapv #(get % "rank") all))))))
