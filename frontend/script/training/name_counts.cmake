# SPDX-License-Identifier: Apache-2.0
# GCC looks for the counts of an object file in a folder, under the object's whole path with # for each /.
# In: FROM (where mlc_training left them), OBJECTS (the folder of the objects that use them), TO (that folder).
file(GLOB counts ${FROM}/*.gcda)
file(MAKE_DIRECTORY ${TO})
foreach(count ${counts})
  get_filename_component(name ${count} NAME)
  string(REPLACE "/" "#" name ${OBJECTS}/${name})
  file(COPY_FILE ${count} ${TO}/${name})
endforeach()
